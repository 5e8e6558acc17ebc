#pragma once

#include <optional>

#include "catena/autograd/variable.h"

namespace catena::functions {

// y_i = x_0 + ... + x_i along an axis, or of the flattened x without one. x
// floating. InvalidType for an axis out of range or another dtype.
Variable cumsum(const Variable& x, std::optional<int64_t> axis = std::nullopt);

}  // namespace catena::functions
