#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "catena/array/core/capture_participant.h"
#include "catena/array/core/captured_work.h"
#include "catena/optimizers/loss_function.h"

// For CapturedSteps: one step as a CUDA graph.
namespace catena::training {

// Calls visit(variable) for each variable of a minibatch, in order.
template <class Visit>
void for_each_variable(const LossInputs& batch, const Visit& visit) {
  for (size_t i = 0; i < batch.size(); ++i) {
    if (batch.is_list(i)) {
      for (const Variable& variable : batch.list(i)) visit(variable);
    } else {
      visit(batch[i]);
    }
  }
}

// A step on minibatches of one form, captured on a GPU.
class StepGraph {
 public:
  // Captures the step and makes it, by a first launch; changes nothing if it
  // throws: each participant puts back what it has saved. The graph shares
  // memory with another one, if it is not null; they must not be launched at
  // the same time.
  StepGraph(const CaptureParticipants& participants,
            const std::function<void(const LossInputs& batch)>& step,
            const LossInputs& batch, Device device, const StepGraph* other);

  // Another step. Nothing has changed if it throws.
  void launch(const LossInputs& batch);
  // Whether it must not be launched again.
  bool is_spent() const;

 private:
  LossInputs inputs_;
  std::unique_ptr<CapturedWork> work_;
  std::vector<std::unique_ptr<CapturedPart>> parts_;
};

}  // namespace catena::training
