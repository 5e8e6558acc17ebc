#pragma once

#include "catena/autograd/variable.h"

// The error function, the normal distribution function and their inverses,
// elementwise. Any shape; x floating, else InvalidType. All are accurate to a
// few units of the last place, in the tails too.
namespace catena::functions {

// 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x.
Variable erf(const Variable& x);
// 1 - erf(x).
Variable erfc(const Variable& x);
// exp(x^2) erfc(x).
Variable erfcx(const Variable& x);

// The inverses: infinite where erf or erfc have their limits, -1 and 1 or 0 and
// 2, and NaN outside.
Variable erfinv(const Variable& x);
Variable erfcinv(const Variable& x);

// The standard normal distribution function, its logarithm, and its inverse:
// infinite at 0 and 1, NaN outside.
Variable ndtr(const Variable& x);
Variable log_ndtr(const Variable& x);
Variable ndtri(const Variable& x);

}  // namespace catena::functions
