#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// y = x sigmoid(beta x), elementwise. x is (N, d1, d2, ...); beta is (), (d1),
// (d1, d2), ... and shared along the other axes. Both have the same floating
// dtype, else InvalidType. (Ramachandran et al., 2017.)
Variable swish(const Variable& x, const Variable& beta);

}  // namespace catena::functions
