#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// The smaller of x1 and x2, elementwise with broadcasting; NaN where either is
// NaN. Inputs have the same floating dtype, else InvalidType. The gradient goes
// to the smaller one, or to x1 where they are equal.
Variable minimum(const Variable& x1, const Variable& x2);

}  // namespace catena::functions
