#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "catena/array/array.h"
#include "catena/array/axis.h"

// Norms, condition numbers and ranks as in numpy.linalg, with the conventions
// of decomposition.h.
namespace catena::array::linalg {

// The order of a norm: a number, or "fro" or "nuc" for matrices. Throws
// ValueError for any other string.
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
  NamedFieldsOnly keywords = {};
  std::optional<NormOrder> ord = std::nullopt;
  // One axis for vectors or two (rows, columns) for matrices. By default x's
  // axes; without ord x may have any number of them and is flattened.
  AxisSet axis = {};
  bool keepdims = false;
};
// The norm of vectors or matrices.
//
//   ord        vectors                  matrices
//   nullopt    sqrt(sum x^2)            sqrt(sum x^2)
//   "fro"                               sqrt(sum x^2)
//   "nuc"                               sum of the singular values
//   inf        max |x|                  max over rows of sum |x|
//   -inf       min |x|                  min over rows of sum |x|
//   0          count of x != 0
//   1, -1      (sum |x|^ord)^(1/ord)    max, min over columns of sum |x|
//   2, -2      (sum |x|^ord)^(1/ord)    largest, smallest singular value
//   other p    (sum |x|^p)^(1/p)
//
// float64 for integers and bool, else x's dtype; the 16-bit floats are computed
// in float32. Throws ValueError for an order not in the table or a wrong number
// of axes; IndexError; LinAlgError as svd does; DtypeError for 16-bit floats
// when singular values are needed.
Array norm(const Array& x, const NormOptions& options = {});

// The condition numbers norm(x, p) norm(inv(x), p). p defaults to the 2-norm,
// which also allows (m, n) matrices. Infinity for singular matrices, NaN if x
// has NaN (the 2-norm throws as svd does). Throws ValueError for an empty x.
Array cond(const Array& x, std::optional<NormOrder> p = std::nullopt);

struct MatrixRankOptions {
  NamedFieldsOnly keywords = {};
  // Singular values up to tol count as 0. The default is the largest one times
  // max(m, n) times the dtype's epsilon.
  std::optional<double> tol = std::nullopt;
  bool hermitian = false;  // M is symmetric: uses eigenvalues, which is faster
};
// The number of nonzero singular values, int64. For M with fewer than two axes,
// 1 unless all elements are 0.
Array matrix_rank(const Array& M, const MatrixRankOptions& options = {});

}  // namespace catena::array::linalg
