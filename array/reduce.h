#pragma once

#include <cstdint>
#include <optional>

#include "catena/array/array.h"

// Reductions over axes with NumPy's names, defaults and dtype rules. The result
// drops the reduced axes, or keeps them with extent 1 (keepdims).
//
// All throw IndexError for an axis out of range and ValueError for a repeated
// one. Floating results propagate NaN. Results do not depend on the number of
// threads.
namespace catena::array {

struct ReduceOptions {
  // nullopt: all axes. Empty: no axes, so that each element is reduced alone.
  std::optional<Axes> axes = std::nullopt;
  // The result keeps the reduced axes with extent 1, so that it broadcasts
  // against the input.
  bool keepdims = false;
  // The dtype to which the elements are cast first, and that of the result.
  // Only for sum, prod and mean; the others throw DtypeError.
  std::optional<Dtype> dtype = std::nullopt;
};

// sum_i a_i and prod_i a_i; 0 and 1 over no elements. bool and signed integers
// give int64, unsigned ones uint64, with wraparound; floats keep their dtype.
// Floats narrower than float64 are accumulated in double, float64 by pairwise
// summation.
Array sum(const Array& a, const ReduceOptions& options = {});
Array prod(const Array& a, const ReduceOptions& options = {});

// sum_i a_i^2 for floats, as float64; 0 over no elements. Floats narrower than
// float64 are squared in float32. Throws DtypeError for integers and bool.
Array sum_of_squares(const Array& a, const ReduceOptions& options = {});

// sum_i a_i / n; NaN over no elements. bool and integers give float64, floats
// keep their dtype. Throws DtypeError for options.dtype that is not floating.
Array mean(const Array& a, const ReduceOptions& options = {});

// The largest or smallest element, with a's dtype. Throws ValueError over no
// elements.
Array max(const Array& a, const ReduceOptions& options = {});
Array min(const Array& a, const ReduceOptions& options = {});
inline Array amax(const Array& a, const ReduceOptions& options = {}) {
  return max(a, options);
}
inline Array amin(const Array& a, const ReduceOptions& options = {}) {
  return min(a, options);
}

// Whether all or any elements are nonzero (NaN is), as bool; true and false
// over no elements.
Array all(const Array& a, const ReduceOptions& options = {});
Array any(const Array& a, const ReduceOptions& options = {});
// The number of nonzero elements, as int64.
Array count_nonzero(const Array& a, const ReduceOptions& options = {});

// The int64 index along the axis of the first largest or smallest element, or
// of the first NaN if there is one. Without an axis, the index into a.ravel().
// Throws ValueError if the axis is empty.
Array argmax(const Array& a, std::optional<int64_t> axis = std::nullopt);
Array argmin(const Array& a, std::optional<int64_t> axis = std::nullopt);

}  // namespace catena::array
