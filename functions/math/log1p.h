#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// y = ln(1 + x), elementwise, accurate near 0: -inf at -1, NaN below. x: any
// shape, floating dtype; otherwise InvalidType.
Variable log1p(const Variable& x);

}  // namespace catena::functions
