#pragma once

#include <cstdint>

#include "catena/autograd/variable.h"

// Functions around the gamma function, elementwise. Any shape; floating, else
// InvalidType.
namespace catena::functions {

// log|gamma(x)|: infinite at 0 and negative integers.
Variable lgamma(const Variable& x);

// The derivative of lgamma: -inf at 0, NaN at negative integers. To 1e-15
// of the larger of 1 and the result.
Variable digamma(const Variable& x);

// The n-th derivative of digamma. n is an array of whole numbers of any dtype
// that broadcasts with x, or one; it gets no gradient. NaN unless n >= 0, and
// below x = -1e6.
Variable polygamma(const Variable& n, const Variable& x);
Variable polygamma(int64_t n, const Variable& x);

// The sum of (q + k)^-x over k = 0, 1, ... (Hurwitz's zeta function), with
// broadcasting: infinite at x = 1 and where q is 0 or a negative integer, NaN
// for x < 1, and for other q < 0 unless x is whole and q above -1e6. Of one
// dtype; x gets no gradient, as in Chainer.
Variable zeta(const Variable& x, const Variable& q);

}  // namespace catena::functions
