#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// Rectified linear unit, elementwise: y = max(x, 0). Any shape; x floating,
// else InvalidType. NaN stays NaN. The gradient at 0 is 0, as in Chainer.
Variable relu(const Variable& x);

}  // namespace catena::functions
