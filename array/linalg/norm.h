#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "catena/array/array.h"

// Norms, condition numbers and ranks, NumPy's numpy.linalg. The conventions are
// those of decomposition.h.
namespace catena::array::linalg {

// The order of a norm: a number, or "fro" or "nuc" for matrices. ValueError for
// any other text.
class NormOrder {
 public:
  enum class Kind : uint8_t { kNumber, kFrobenius, kNuclear };

  NormOrder(double order) : number_(order) {}
  NormOrder(const char* name);

  Kind kind() const { return kind_; }
  double number() const { return number_; }

 private:
  Kind kind_ = Kind::kNumber;
  double number_ = 0;
};

struct NormOptions {
  std::optional<NormOrder> ord = std::nullopt;
  // One axis of vectors or two of matrices (rows, then columns). Absent: those
  // of x; without ord, any number of them, flattened.
  std::optional<Axes> axis = std::nullopt;
  bool keepdims = false;
};
// The norm of vectors or of matrices.
//
//   ord        of vectors               of matrices
//   absent     sqrt(sum x^2)            sqrt(sum x^2)
//   "fro"                               sqrt(sum x^2)
//   "nuc"                               sum of the singular values
//   inf        max |x|                  max of the rows' sums of |x|
//   -inf       min |x|                  min of the rows' sums of |x|
//   0          count of x != 0
//   1, -1      (sum |x|^ord)^(1/ord)    max, min of the columns' sums of |x|
//   2, -2      (sum |x|^ord)^(1/ord)    largest, smallest singular value
//   other p    (sum |x|^p)^(1/p)
//
// float64 for integers and bool, else x's dtype; the 16-bit floats are computed
// in float32. ValueError for an order that is not in the table or an x without
// as many axes; IndexError; LinAlgError as svd's; DtypeError for 16-bit floats
// where singular values are asked for.
Array norm(const Array& x, const NormOptions& options = {});

// The condition numbers norm(x, p) norm(inv(x), p); without p that of the
// 2-norm, which also serves matrices (m, n). Infinity for singular matrices,
// NaN where x has NaN (but see svd for the 2-norm). ValueError for no elements.
Array cond(const Array& x, std::optional<NormOrder> p = std::nullopt);

struct MatrixRankOptions {
  // Singular values of at most this count as 0; absent, the largest times the
  // larger of m and n times the dtype's epsilon.
  std::optional<double> tol = std::nullopt;
  bool hermitian = false;  // M is symmetric: its eigenvalues serve, faster
};
// The number of singular values that are not 0, int64; for an M of fewer than
// two axes, 1 unless all elements are 0.
Array matrix_rank(const Array& M, const MatrixRankOptions& options = {});

}  // namespace catena::array::linalg
