#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// The inverse of each matrix of a (B, n, n). The gradient is -y^T gy y^T.
// float32 or float64. Throws InvalidType for any other dtype or shape,
// LinAlgError where a matrix is singular.
Variable batch_inv(const Variable& a);

}  // namespace catena::functions
