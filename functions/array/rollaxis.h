#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// x with `axis` moved in front of the axis now at `start`, or to the end if
// `start` is the number of axes. A view. Any dtype. Throws InvalidType when
// either is out of range.
Variable rollaxis(const Variable& x, int64_t axis, int64_t start = 0);

}  // namespace catena::functions
