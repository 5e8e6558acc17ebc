#pragma once

#include <cstdint>
#include <optional>

#include "catena/array/array.h"

// Diagonals and triangles. Diagonal k has the elements [i, i + k]: 0 is the
// main diagonal, positive k are above it, negative k below.
namespace catena::array {

// The diagonals of the matrices along axis1 and axis2: a writable view in which
// one last axis replaces these two. Throws ShapeError for fewer than two axes,
// IndexError for an axis out of range, ValueError when both are the same.
Array diagonal(const Array& a, int64_t offset = 0, int64_t axis1 = 0,
               int64_t axis2 = 1);

struct TraceOptions {
  NamedFieldsOnly keywords = {};
  int64_t offset = 0;
  int64_t axis1 = 0;
  int64_t axis2 = 1;
  // As for sum (reduce.h).
  std::optional<Dtype> dtype = std::nullopt;
  Array out = {};
};
// The sums of diagonal(a, ...), with the dtypes of sum. Throws what both do.
Array trace(const Array& a, const TraceOptions& options = {});

// For a matrix, a writable view of its diagonal k; for a 1-d array, the matrix
// with it as diagonal k and zeros elsewhere. Throws ShapeError for other
// arrays.
Array diag(const Array& v, int64_t k = 0);
// The matrix with the flattened array as diagonal k.
Array diagflat(const Array& v, int64_t k = 0);

struct FillDiagonalOptions {
  NamedFieldsOnly keywords = {};
  // In a matrix with more rows than columns, whether the diagonal wraps around
  // after one skipped row.
  bool wrap = false;
};
// Sets the elements [i, i, ..., i] to the value, cast to a's dtype, or
// cyclically to the values of an array. Throws ShapeError for fewer than two
// axes, or for more than two of different extent; ValueError when there are no
// values or `a` is a broadcast view.
void fill_diagonal(const Array& a, const Operand& value,
                   const FillDiagonalOptions& options = {});

struct TriOptions {
  NamedFieldsOnly keywords = {};
  int64_t k = 0;
  Dtype dtype = Dtype::kFloat64;
  std::optional<Device> device = std::nullopt;
};
// An (N, M) matrix with ones on and below diagonal k, else zeros; M is N by
// default.
Array tri(int64_t N, std::optional<int64_t> M = std::nullopt,
          const TriOptions& options = {});
// Copies of the matrices of the last two axes with zeros above (tril) or below
// (triu) diagonal k. A 1-d array is first repeated as the rows of a matrix.
Array tril(const Array& m, int64_t k = 0);
Array triu(const Array& m, int64_t k = 0);

// a.diagonal(...), a.trace()
struct DiagonalMethods {
  static Array diagonal(const Array& a, int64_t offset, int64_t axis1,
                        int64_t axis2) {
    return array::diagonal(a, offset, axis1, axis2);
  }
  static Array trace(const Array& a) { return array::trace(a); }
};

}  // namespace catena::array
