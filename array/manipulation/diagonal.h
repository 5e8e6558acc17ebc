#pragma once

#include <cstdint>
#include <optional>

#include "catena/array/array.h"

// Diagonals and triangles. Diagonal k has the elements [i, i + k]: the main one
// for 0, above it when positive, below it when negative.
namespace catena::array {

// The diagonal of each matrix of axis1 and axis2: a writable view in which the
// diagonal is the last axis and those two are missing. ShapeError for fewer
// than two axes, IndexError for one out of range, ValueError when both are the
// same.
Array diagonal(const Array& a, int64_t offset = 0, int64_t axis1 = 0,
               int64_t axis2 = 1);

struct TraceOptions {
  int64_t offset = 0;
  int64_t axis1 = 0;
  int64_t axis2 = 1;
  // As for sum (reduce.h).
  std::optional<Dtype> dtype = std::nullopt;
};
// The sums of diagonal(a, ...), with sum's dtypes.
Array trace(const Array& a, const TraceOptions& options = {});

// A matrix gives a copy of its diagonal k; an array with one axis gives the
// matrix that has it as diagonal k and zeros elsewhere. ShapeError for other
// arrays.
Array diag(const Array& v, int64_t k = 0);
// The matrix that has the flattened array as diagonal k.
Array diagflat(const Array& v, int64_t k = 0);

struct FillDiagonalOptions {
  // In a matrix with more rows than columns: whether to start again after a row
  // without.
  bool wrap = false;
};
// Sets the elements [i, i, ..., i] to the value, cast to a's dtype; values of
// an array are taken in turn. ShapeError for fewer than two axes or, for more,
// ones that differ in extent; ValueError when there are no values or `a` is a
// broadcast view.
void fill_diagonal(const Array& a, const Operand& value,
                   const FillDiagonalOptions& options = {});

struct TriOptions {
  int64_t k = 0;
  Dtype dtype = Dtype::kFloat64;
  std::optional<Device> device = std::nullopt;
};
// An (N, M) matrix with ones on diagonal k and below it, else zeros; M
// defaults to N.
Array tri(int64_t N, std::optional<int64_t> M = std::nullopt,
          const TriOptions& options = {});
// The matrices of the last two axes with zeros above diagonal k, and below it;
// of an array with one axis the matrix with it as every row.
Array tril(const Array& m, int64_t k = 0);
Array triu(const Array& m, int64_t k = 0);

}  // namespace catena::array
