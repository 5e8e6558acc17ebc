#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// x with two axes swapped; a view. Any dtype. Throws InvalidType when one is
// out of range.
Variable swapaxes(const Variable& x, int64_t axis1, int64_t axis2);

}  // namespace catena::functions
