#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// Sigmoid linear unit, elementwise: y = x / (1 + exp(-x)). x: any shape,
// floating dtype; otherwise InvalidType. `swish` is the same with a factor in
// the sigmoid that is learned. (Elfwing et al., 2017.)
Variable silu(const Variable& x);

}  // namespace catena::functions
