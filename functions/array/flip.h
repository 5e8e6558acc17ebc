#pragma once

#include "catena/array/axis.h"
#include "catena/autograd/variable.h"

namespace catena::functions {

// x reversed along an axis; a view. Any dtype. Throws InvalidType when the axis
// is out of range.
Variable flip(const Variable& x, const AxisOption& options);
template <class = void>
Variable flip(const Variable& x, Axis axis) {
  return flip(x, {.axis = axis});
}
// x reversed along the second axis (left-right); a view.
Variable fliplr(const Variable& a);
// x reversed along the first axis (up-down); a view.
Variable flipud(const Variable& a);

}  // namespace catena::functions
