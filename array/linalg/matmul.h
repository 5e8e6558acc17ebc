#pragma once

#include "catena/array/array.h"

// Matrix products by BLAS. Transposed operands such as a.T() are not copied. On
// the CPU float16 and bfloat16 are multiplied in float32; large products of
// bfloat16 by AVX512_BF16 where the processor has it, to which subnormal
// numbers are 0. Integers, which BLAS lacks, use a plain loop and wrap around;
// bool computes logical and, or.
//
// All but gemm promote their operands. All throw DeviceError unless the
// operands are on one device, ShapeError naming both shapes when these do not
// match.
namespace catena::array {

struct MatmulOptions {
  NamedFieldsOnly keywords = {};
  // Swap the last two axes of an operand with two or more axes.
  bool transa = false;
  bool transb = false;
  // A factor of the product, which costs no pass over it. Only for floating
  // dtypes.
  double alpha = 1;
};

// NumPy's a @ b: (..., m, k) by (..., k, n) gives (..., m, n), where the
// leading axes broadcast. A 1-d a is a row, a 1-d b a column, and the result
// lacks that axis. Throws ShapeError for a 0-d operand, DtypeError for an alpha
// that is not 1 when the result is not floating.
Array matmul(const Array& a, const Array& b, const MatmulOptions& options = {});

// NumPy's dot: sums over the last axis of a and the second to last (or only)
// axis of b: (a..., k) by (b..., k, n) gives (a..., b..., n). The same as
// matmul for 2-d arrays. A 0-d operand multiplies elementwise. Throws the
// errors of OutOption (array.h) for an unsuitable `out`.
Array dot(const Array& a, const Array& b, const OutOption& options = {});

struct GemmOptions {
  NamedFieldsOnly keywords = {};
  bool transa = false;
  bool transb = false;
  double alpha = 1;
  double beta = 0;
  // (n,), added to every row; requires beta 0.
  Array bias = {};
  // (m,), receives the sums of the rows of a, or of its columns with transa;
  // for operands of two axes. A GPU may sum while it multiplies, which saves
  // reading a again.
  Array row_sums = {};
};

// out = alpha a b + beta out, in place, for a (..., m, k), b (..., k, n) and
// out (..., m, n) of one dtype; the leading axes of a and b broadcast to those
// of out. With beta 0, out may be uninitialized. Throws DtypeError, ShapeError,
// DeviceError, and ValueError for both a bias and a beta.
void gemm(const Array& a, const Array& b, const Array& out,
          const GemmOptions& options = {});

// a.dot(b)
struct MatmulMethods {
  static Array dot(const Array& a, const Array& b) { return array::dot(a, b); }
};

}  // namespace catena::array
