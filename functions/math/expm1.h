#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// y = exp(x) - 1, elementwise, accurate near 0. Any shape; x floating, else
// InvalidType.
Variable expm1(const Variable& x);

}  // namespace catena::functions
