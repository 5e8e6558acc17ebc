#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// The inverse of a square matrix a (n, n). The gradient is -y^T gy y^T. float32
// or float64. Throws InvalidType for any other dtype or shape, LinAlgError
// where a is singular.
Variable inv(const Variable& a);

}  // namespace catena::functions
