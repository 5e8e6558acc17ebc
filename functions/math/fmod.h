#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// The remainder of x / divisor, with x's sign as in C, elementwise with
// broadcasting. Inputs have the same floating dtype, else InvalidType. The
// gradients are gy and -gy fix(x / divisor).
Variable fmod(const Variable& x, const Variable& divisor);

}  // namespace catena::functions
