#pragma once

#include <optional>

#include "catena/autograd/variable.h"

namespace catena::functions {

// y_i = x_0 ... x_i along an axis, or of the flattened x without one. x
// floating. The gradients are right also where elements are 0. InvalidType for
// an axis out of range or another dtype.
Variable cumprod(const Variable& x, std::optional<int64_t> axis = std::nullopt);

// The same with the product of what comes before, without x_i: 1 first.
Variable exclusive_cumprod(const Variable& x, int64_t axis);

}  // namespace catena::functions
