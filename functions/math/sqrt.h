#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// y = the square root of x, elementwise: NaN below 0, the gradient at 0 is
// infinite. Any shape; x floating, else InvalidType.
Variable sqrt(const Variable& x);

// y = 1 / sqrt(x), elementwise: infinite at 0, NaN below. Any shape; x
// floating, else InvalidType.
Variable rsqrt(const Variable& x);

}  // namespace catena::functions
