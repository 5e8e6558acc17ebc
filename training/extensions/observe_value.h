#pragma once

#include <functional>
#include <optional>
#include <string>

#include "catena/links/observation.h"
#include "catena/training/extension.h"

namespace catena::training::extensions {

// Adds the result of a function of the trainer to the observation of each
// iteration, before other extensions read it. Throws ValueError when there is
// no function.
FunctionExtension observe_value(
    std::string observation_key,
    std::function<ObservedValue(Trainer&)> target_func);

// Adds an optimizer's learning rate: lr or, for Adam, the size of its last
// step, alpha sqrt(1 - beta2^t) / (1 - beta1^t). The optimizer defaults to
// "main" or the only one. Each run throws ValueError when there is no such
// optimizer, or it has no learning rate.
FunctionExtension observe_lr(std::optional<std::string> optimizer_name = {},
                             std::string observation_key = "lr");

}  // namespace catena::training::extensions
