#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// The Cholesky factor of a symmetric positive definite a (n, n): the lower
// triangular L with a = L L^T. Only a's lower triangle is read. The gradient
// treats a as symmetric: it is X + X^T with X = L^-T P(L^T gL) L^-1 / 2, where
// P keeps the elements below the diagonal and half of the diagonal. float32 or
// float64. Throws InvalidType for any other dtype or shape, LinAlgError unless
// a is positive definite. (Murray, Differentiation of the Cholesky
// decomposition, 2016.)
Variable cholesky(const Variable& a);

}  // namespace catena::functions
