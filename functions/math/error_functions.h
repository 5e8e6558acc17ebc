#pragma once

#include "catena/autograd/variable.h"

// The error function, the normal distribution function and their inverses,
// elementwise. x: any shape, floating dtype; otherwise InvalidType. All are
// accurate to a few ulps, including in the tails.
namespace catena::functions {

// The error function, 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x.
Variable erf(const Variable& x);
// The complementary error function, 1 - erf(x).
Variable erfc(const Variable& x);
// The scaled complementary error function, exp(x^2) erfc(x).
Variable erfcx(const Variable& x);

// The inverse of erf: infinite at -1 and 1, NaN outside.
Variable erfinv(const Variable& x);
// The inverse of erfc: infinite at 0 and 2, NaN outside.
Variable erfcinv(const Variable& x);

// The cumulative distribution function of the standard normal distribution.
Variable ndtr(const Variable& x);
// The logarithm of ndtr(x).
Variable log_ndtr(const Variable& x);
// The inverse of ndtr: infinite at 0 and 1, NaN outside.
Variable ndtri(const Variable& x);

}  // namespace catena::functions
