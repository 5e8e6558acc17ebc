#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "catena/optimizers/loss_function.h"
#include "catena/optimizers/optimizer.h"
#include "catena/tests/benchmarks/cases.h"
#include "catena/training/captured_steps.h"

namespace catena::benchmarks {

// Takes a step of the optimizer on a minibatch, as the options say.
using Update = std::function<void(const LossInputs& batch)>;

inline Update update_with(Optimizer& optimizer, LossFunction loss,
                          const CaseOptions& options) {
  if (options.captured) {
    const auto steps =
        std::make_shared<training::CapturedSteps>(optimizer, std::move(loss));
    return [steps](const LossInputs& batch) { steps->update(batch); };
  }
  return [&optimizer, loss = std::move(loss)](const LossInputs& batch) {
    optimizer.update(loss, batch);
  };
}

}  // namespace catena::benchmarks
