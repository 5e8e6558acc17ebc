#pragma once

#include <optional>

#include "catena/autograd/variable.h"

namespace catena::functions {

// y = x held to [x_min, x_max], elementwise; a limit may be left out. Any
// shape; x floating, else InvalidType. NaN stays NaN. The gradient passes where
// x is within the limits and at them. ValueError unless x_min < x_max.
Variable clip(const Variable& x, std::optional<double> x_min,
              std::optional<double> x_max);

}  // namespace catena::functions
