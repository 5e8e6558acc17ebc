#pragma once

#include "catena/array/axis.h"
#include "catena/autograd/variable.h"

namespace catena::functions {

// x without the given axes of extent 1, by default all of them; a view. Any
// dtype. Throws InvalidType when an axis is out of range or has another extent,
// ValueError when one is repeated.
Variable squeeze(const Variable& x, const AxisSetOption& options = {});
template <class = void>
Variable squeeze(const Variable& x, const AxisSet& axis) {
  return squeeze(x, {.axis = axis});
}

}  // namespace catena::functions
