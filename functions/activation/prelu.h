#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// y = x, or W x where x < 0, elementwise. x is (N, d1, d2, ...); W is (), (d1),
// (d1, d2), ... and shared along the other axes. Both have the same floating
// dtype, else InvalidType. The gradient at 0 is the one for x > 0. (He et al.,
// 2015.)
Variable prelu(const Variable& x, const Variable& W);

}  // namespace catena::functions
