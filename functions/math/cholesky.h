#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// The lower triangular L with a = L L^T of a symmetric positive definite a (n,
// n), whose lower triangle alone is read. The gradient is that of a symmetric
// a: the matrix X + X^T with X = L^-T P(L^T gL) L^-1 / 2, where P keeps
// what is below the diagonal and half of the diagonal. float32 or float64.
// InvalidType for another dtype or shape, LinAlgError unless a is positive
// definite. (Murray, Differentiation of the Cholesky decomposition, 2016.)
Variable cholesky(const Variable& a);

}  // namespace catena::functions
