#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// The determinants of a (B, n, n): (B,); 1 for n = 0. The gradient is gy y
// a^-T. float32 or float64. InvalidType for another dtype or shape; backward
// throws LinAlgError where a matrix is singular.
Variable batch_det(const Variable& a);

}  // namespace catena::functions
