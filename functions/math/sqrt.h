#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// The square root, elementwise: NaN below 0; the gradient at 0 is infinite. x:
// any shape, floating dtype; otherwise InvalidType.
Variable sqrt(const Variable& x);

// y = 1 / sqrt(x), elementwise: infinite at 0, NaN below. x: any shape,
// floating dtype; otherwise InvalidType.
Variable rsqrt(const Variable& x);

}  // namespace catena::functions
