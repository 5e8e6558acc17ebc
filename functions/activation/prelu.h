#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// y = x, or W x where x < 0, elementwise. x is (N, d1, d2, ...); W has the
// shape of some of its axes after the first, (), (d1), (d1, d2), ..., and is
// shared along the others. Both floating, of one dtype. InvalidType. The
// gradient at 0 is that of x > 0. (He et al., 2015.)
Variable prelu(const Variable& x, const Variable& W);

}  // namespace catena::functions
