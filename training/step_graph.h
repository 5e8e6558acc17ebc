#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "catena/array/core/captured_work.h"
#include "catena/links/observation.h"
#include "catena/optimizers/loss_function.h"
#include "catena/optimizers/optimizer.h"

// For CapturedSteps: one step as a CUDA graph, and what goes on from step to
// step.
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

// What a model keeps from step to step besides parameters: its persistent
// arrays, then its states.
std::vector<Array> kept_arrays(Link& model);
// States have no graph then, as after unchain_backward().
void set_kept_arrays(Link& model, const std::vector<Array>& arrays);

// Calls a step that goes on from arrays in memory that stays: where it puts a
// new array in the place of an old one, the old one gets its elements, and is
// the model's again. What has another shape then is not carried on.
void carry_on(Link& model, const std::function<void()>& step);

// What reports of a step put together, in memory that each launch overwrites.
// Scalars are copied together.
class Reported {
 public:
  Reported() = default;
  // In the capture.
  explicit Reported(const Observation& values);

  // After a launch.
  void report() const;

 private:
  // In the order of the step's reports. A scalar is stacked_[group][index].
  struct Value {
    std::string name;
    ObservedValue value;  // of a scalar only the weight
    size_t group = 0;
    int64_t index = -1;  // of no scalar
  };
  std::vector<Value> values_;
  std::vector<Array> stacked_;
};

// A step of an optimizer on minibatches of one form, captured on a GPU.
class StepGraph {
 public:
  // Captures the step, and changes nothing if it throws: generators, persistent
  // values, states, gradients and what is reported are what they were. The
  // graph shares memory with another one, if it is not null; they must not be
  // launched at the same time.
  StepGraph(Optimizer& optimizer, const LossFunction& loss_function,
            const LossInputs& batch, Device device, const StepGraph* other);

  // One step.
  void launch(const LossInputs& batch);

 private:
  Optimizer& optimizer_;
  LossInputs inputs_;
  std::unique_ptr<CapturedWork> work_;
  Reported reported_;
  std::vector<std::pair<Parameter, Array>> grads_;
  std::vector<Array> kept_;  // as the step leaves it
};

}  // namespace catena::training
