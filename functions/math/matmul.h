#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

struct MatmulOptions {
  // Swap the last two axes of an operand that has two or more.
  bool transa = false;
  bool transb = false;
};

// The matrix product y = a b: (..., m, k) by (..., k, n) gives (..., m, n),
// where the axes before the last two broadcast. A one-dimensional a is a row, b
// a column, and y lacks that axis. Floating, of one dtype. InvalidType when
// dtypes or shapes do not fit, or an operand has no axis. (Chainer 1 takes
// vectors for columns and always gives matrices.)
Variable matmul(const Variable& a, const Variable& b,
                const MatmulOptions& options = {});

}  // namespace catena::functions
