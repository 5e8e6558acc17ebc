#pragma once

#include <optional>

#include "catena/array/axis.h"
#include "catena/autograd/variable.h"

namespace catena::functions {

// The cumulative product y_i = x_0 ... x_i along an axis, or of the flattened x
// without an axis. x is floating. Gradients are correct even where elements are
// 0. Throws InvalidType for an axis out of range or any other dtype.
Variable cumprod(const Variable& x, const OptionalAxisOption& options = {});
template <class = void>
Variable cumprod(const Variable& x, std::optional<Axis> axis) {
  return cumprod(x, {.axis = axis});
}

// The exclusive cumulative product y_i = x_0 ... x_(i-1) along an axis; y_0 =
// 1.
Variable exclusive_cumprod(const Variable& x, Axis axis);

}  // namespace catena::functions
