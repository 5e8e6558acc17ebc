#pragma once

#include <cstdint>
#include <optional>

#include "catena/array/array.h"

// Reductions with NumPy's names, defaults and dtype rules: over some axes of an
// array, which the result lacks, or has with extent 1 (keepdims).
//
// All throw IndexError for an axis out of range, ValueError for one that is
// named twice, and for NaN in the input give NaN. Results do not depend on the
// number of threads.
namespace catena::array {

struct ReduceOptions {
  // Absent: all of them. Given but without entries: none, so that every element
  // is reduced by itself.
  std::optional<Axes> axes = std::nullopt;
  // The result keeps the reduced axes with extent 1, so that it broadcasts
  // against the input.
  bool keepdims = false;
  // What the elements are cast to before, and the result has; for sum, prod and
  // mean, else DtypeError.
  std::optional<Dtype> dtype = std::nullopt;
};

// sum_i a_i and prod_i a_i; 0 and 1 over no elements. bool and signed integers
// give int64, unsigned ones uint64, wrapping round; floats keep their dtype.
// Floats narrower than float64 are added up in double, float64 pairwise.
Array sum(const Array& a, const ReduceOptions& options = {});
Array prod(const Array& a, const ReduceOptions& options = {});

// sum_i a_i^2 of floats, as float64; 0 over no elements. Floats narrower than
// float64 are squared in float32. DtypeError for integers and bool.
Array sum_of_squares(const Array& a, const ReduceOptions& options = {});

// sum_i a_i / n; NaN over no elements. bool and integers give float64, floats
// keep their dtype. DtypeError for a dtype that is not floating.
Array mean(const Array& a, const ReduceOptions& options = {});

// The largest or smallest element, of a's dtype; ValueError over no elements.
Array max(const Array& a, const ReduceOptions& options = {});
Array min(const Array& a, const ReduceOptions& options = {});
inline Array amax(const Array& a, const ReduceOptions& options = {}) {
  return max(a, options);
}
inline Array amin(const Array& a, const ReduceOptions& options = {}) {
  return min(a, options);
}

// Whether all or any of the elements are not 0 (NaN is not); true and false
// over no elements. bool.
Array all(const Array& a, const ReduceOptions& options = {});
Array any(const Array& a, const ReduceOptions& options = {});
// How many elements are not 0. int64.
Array count_nonzero(const Array& a, const ReduceOptions& options = {});

// The position along the axis of the first largest or smallest element, of the
// first NaN when there is one; without an axis, the position in a.ravel().
// int64. ValueError when the axis has no elements.
Array argmax(const Array& a, std::optional<int64_t> axis = std::nullopt);
Array argmin(const Array& a, std::optional<int64_t> axis = std::nullopt);

}  // namespace catena::array
