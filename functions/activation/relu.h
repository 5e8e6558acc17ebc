#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// Rectified linear unit, elementwise: y = max(x, 0). x: any shape, floating
// dtype; otherwise InvalidType. NaN stays NaN. The gradient at 0 is 0, as in
// Chainer.
Variable relu(const Variable& x);

}  // namespace catena::functions
