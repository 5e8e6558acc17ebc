#pragma once

#include <optional>

#include "catena/autograd/variable.h"

namespace catena::functions {

// y = x clipped to [x_min, x_max], elementwise; either limit may be omitted. x:
// any shape, floating dtype; otherwise InvalidType. NaN stays NaN. The gradient
// passes where x_min <= x <= x_max. Throws ValueError unless x_min < x_max.
Variable clip(const Variable& x, std::optional<double> x_min,
              std::optional<double> x_max);

}  // namespace catena::functions
