#pragma once

#include <cstdint>

#include "catena/autograd/variable.h"

// Functions around the gamma function, elementwise. Any shape, floating dtype;
// otherwise InvalidType.
namespace catena::functions {

// The logarithm of |gamma(x)|: infinite at 0 and negative integers.
Variable lgamma(const Variable& x);

// The digamma function, the derivative of lgamma: -inf at 0, NaN at negative
// integers. Accurate to 1e-15 times the larger of 1 and the result.
Variable digamma(const Variable& x);

// The n-th derivative of digamma. n is an integer, or an array of integral
// values of any dtype that broadcasts with x; it gets no gradient. NaN for n <
// 0 and for x below -1e6.
Variable polygamma(const Variable& n, const Variable& x);
Variable polygamma(int64_t n, const Variable& x);

// The Hurwitz zeta function, the sum of (q + k)^-x over k = 0, 1, ..., with
// broadcasting: infinite at x = 1 and where q is 0 or a negative integer, NaN
// for x < 1, and for other q < 0 unless x is integral and q above -1e6. Both
// have the same dtype; x gets no gradient, as in Chainer.
Variable zeta(const Variable& x, const Variable& q);

}  // namespace catena::functions
