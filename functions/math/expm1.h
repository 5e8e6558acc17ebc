#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// y = exp(x) - 1, elementwise, accurate near 0. x: any shape, floating dtype;
// otherwise InvalidType.
Variable expm1(const Variable& x);

}  // namespace catena::functions
