#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// y = x sigmoid(beta x), elementwise. x is (N, d1, d2, ...); beta has the shape
// of some of its axes after the first, (), (d1), (d1, d2), ..., and is shared
// along the others. Both floating, of one dtype. InvalidType. (Ramachandran et
// al., 2017.)
Variable swish(const Variable& x, const Variable& beta);

}  // namespace catena::functions
