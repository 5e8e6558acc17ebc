#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

struct MatmulOptions {
  NamedFieldsOnly keywords = {};
  // Swap the last two axes of an operand that has two or more.
  bool transa = false;
  bool transb = false;
  // A factor of the product, which costs no pass over it.
  double alpha = 1;
};

// The matrix product y = a b, times alpha: (..., m, k) by (..., k, n) gives
// (..., m, n); the axes before the last two broadcast. A one-dimensional a is a
// row vector, a one-dimensional b a column vector, and y drops that axis. Both
// have the same floating dtype. Throws InvalidType when dtypes or shapes do not
// match, or an operand is 0-d. (Chainer 1 takes vectors as columns and always
// returns matrices.)
Variable matmul(const Variable& a, const Variable& b,
                const MatmulOptions& options = {});

}  // namespace catena::functions
