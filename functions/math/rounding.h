#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// Step functions, elementwise: rounding up, down and towards 0, and the sign
// (-1, 0, 1). Any shape; dtypes and results are as for the array functions. No
// gradient flows: the result is not connected to x.

// The smallest integer that is not less than x, elementwise.
Variable ceil(const Variable& x);
// The largest integer that is not greater than x, elementwise.
Variable floor(const Variable& x);
// x rounded towards 0 to an integer, elementwise.
Variable fix(const Variable& x);
// The sign of x (-1, 0 or 1), elementwise.
Variable sign(const Variable& x);

}  // namespace catena::functions
