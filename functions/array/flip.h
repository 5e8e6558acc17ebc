#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// x reversed along an axis; a view. Any dtype. InvalidType when the axis is out
// of range.
Variable flip(const Variable& x, int64_t axis);
// The same along the second axis, and along the first.
Variable fliplr(const Variable& a);
Variable flipud(const Variable& a);

}  // namespace catena::functions
