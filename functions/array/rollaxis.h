#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// x with `axis` moved to stand before the axis that is now at `start`, which
// may be the number of axes: the end. A view. Any dtype. InvalidType when one
// is out of range.
Variable rollaxis(const Variable& x, int64_t axis, int64_t start = 0);

}  // namespace catena::functions
