#pragma once

#include <optional>

#include "catena/array/axis.h"
#include "catena/autograd/variable.h"

namespace catena::functions {

// The cumulative sum y_i = x_0 + ... + x_i along an axis, or of the flattened x
// without an axis. x is floating. Throws InvalidType for an axis out of range
// or any other dtype.
Variable cumsum(const Variable& x, const OptionalAxisOption& options = {});
template <class = void>
Variable cumsum(const Variable& x, std::optional<Axis> axis) {
  return cumsum(x, {.axis = axis});
}

}  // namespace catena::functions
