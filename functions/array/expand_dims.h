#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// x with an axis of extent 1 added, which stands at `axis` of the result; a
// view. Any dtype. InvalidType when the axis is out of range.
Variable expand_dims(const Variable& x, int64_t axis);

}  // namespace catena::functions
