#pragma once

#include "catena/array/axis.h"
#include "catena/autograd/variable.h"

namespace catena::functions {

// x * y, where y's axes match x's from `axis` on and y broadcasts along the
// others, as in Caffe. Both have the same floating dtype, else InvalidType.
Variable scale(const Variable& x, const Variable& y,
               const AxisOption& options = {.axis = 1});
template <class = void>
Variable scale(const Variable& x, const Variable& y, Axis axis) {
  return scale(x, y, {.axis = axis});
}

}  // namespace catena::functions
