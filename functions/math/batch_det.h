#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// The determinant of each matrix of a (B, n, n), as (B,); 1 for n = 0. The
// gradient is gy y a^-T. float32 or float64. Throws InvalidType for any other
// dtype or shape; backward throws LinAlgError where a matrix is singular.
Variable batch_det(const Variable& a);

}  // namespace catena::functions
