#pragma once

#include "catena/array/array.h"

// Matrix products, by BLAS. Transposed operands are read as they lie: a.T()
// costs no copy. float16 and bfloat16 are multiplied in float32 on the CPU;
// integers, which BLAS lacks, by a plain loop, wrapping round; bool gives "and"
// and "or".
//
// All promote their operands, throw DeviceError unless they are on one device,
// and ShapeError, naming both shapes, when they do not match.
namespace catena::array {

struct MatmulOptions {
  // Swap the last two axes of an operand that has two or more.
  bool transa = false;
  bool transb = false;
};

// NumPy's a @ b: (..., m, k) by (..., k, n) gives (..., m, n), where the axes
// before the last two broadcast. A one-dimensional a is a row, b a column, and
// the result lacks that axis. ShapeError for an operand without axes.
Array matmul(const Array& a, const Array& b, const MatmulOptions& options = {});

// NumPy's dot: sums over the last axis of a and the second to last (or only)
// one of b. For arrays of two axes the same as matmul; (a..., k) by (b..., k,
// n) gives (a..., b..., n). An operand without axes multiplies elementwise.
Array dot(const Array& a, const Array& b);

struct GemmOptions {
  bool transa = false;
  bool transb = false;
  double alpha = 1;
  double beta = 0;
  // (n,), added to every row; beta must be 0 then.
  Array bias = {};
};

// out = alpha a b + beta out, in place, for a (..., m, k), b (..., k, n) and
// out (..., m, n) of one dtype; the leading axes of a and b broadcast to those
// of out. With beta 0, out may be uninitialized. DtypeError, ShapeError,
// DeviceError, ValueError for a bias beside beta.
void gemm(const Array& a, const Array& b, const Array& out,
          const GemmOptions& options = {});

}  // namespace catena::array
