#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// y = ln(1 + x), elementwise, accurate near 0: -inf at -1, NaN below. Any
// shape; x floating, else InvalidType.
Variable log1p(const Variable& x);

}  // namespace catena::functions
