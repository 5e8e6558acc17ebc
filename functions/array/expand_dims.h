#pragma once

#include "catena/array/axis.h"
#include "catena/autograd/variable.h"

namespace catena::functions {

// x with a new axis of extent 1 at position `axis` of the result; a view. Any
// dtype. Throws InvalidType when the axis is out of range.
Variable expand_dims(const Variable& x, const AxisOption& options);
template <class = void>
Variable expand_dims(const Variable& x, Axis axis) {
  return expand_dims(x, {.axis = axis});
}

}  // namespace catena::functions
