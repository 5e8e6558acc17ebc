#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// x with a new axis of extent 1 at position `axis` of the result; a view. Any
// dtype. Throws InvalidType when the axis is out of range.
Variable expand_dims(const Variable& x, int64_t axis);

}  // namespace catena::functions
