#pragma once

#include "catena/array/axis.h"
#include "catena/autograd/variable.h"

namespace catena::functions {

// Splits x into its slices along an axis, which is removed; views. The inverse
// of stack. Any dtype. Throws InvalidType when the axis is out of range.
Variables separate(const Variable& x, const AxisOption& options = {.axis = 0});
template <class = void>
Variables separate(const Variable& x, Axis axis) {
  return separate(x, {.axis = axis});
}

}  // namespace catena::functions
