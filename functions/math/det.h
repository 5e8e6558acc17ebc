#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// The determinant of a square matrix a (n, n), 0-d; 1 for n = 0. The gradient
// is gy y a^-T. float32 or float64. Throws InvalidType for any other dtype or
// shape; backward throws LinAlgError where a is singular.
Variable det(const Variable& a);

}  // namespace catena::functions
