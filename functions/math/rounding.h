#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// Step functions, elementwise: up, down and towards 0 to whole numbers, and the
// sign (-1, 0, 1). Any shape and dtype that the array functions take, with
// their results. No gradient flows: the result is not connected to x.

Variable ceil(const Variable& x);
Variable floor(const Variable& x);
Variable fix(const Variable& x);
Variable sign(const Variable& x);

}  // namespace catena::functions
