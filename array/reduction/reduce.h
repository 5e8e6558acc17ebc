#pragma once

#include <optional>

#include "catena/array/array.h"
#include "catena/array/axis.h"

// Reductions over axes with NumPy's names, defaults and dtype rules. The result
// drops the reduced axes, or keeps them with extent 1 (keepdims).
//
// All throw IndexError for an axis out of range, ValueError for a repeated one,
// and the errors of OutOption (array.h) for an unsuitable `out`. Floating
// results propagate NaN. Results do not depend on the number of threads.
namespace catena::array {

struct ReduceOptions {
  NamedFieldsOnly keywords = {};
  // By default all axes. Axes() is none, so that each element is reduced alone.
  AxisSet axis = {};
  // The result keeps the reduced axes with extent 1, so that it broadcasts
  // against the input.
  bool keepdims = false;
  // The dtype to which the elements are cast first, and that of the result.
  // Only for sum, prod and mean; the others throw DtypeError.
  std::optional<Dtype> dtype = std::nullopt;
  // As in OutOption: an array of the result's shape, which may share memory
  // with `a`.
  Array out = {};
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

struct ArgExtremeOptions {
  NamedFieldsOnly keywords = {};
  std::optional<Axis> axis = std::nullopt;  // nullopt: flattened
  // The result keeps the axis with extent 1, or all axes if there is none.
  bool keepdims = false;
  // The dtype of the result. The call throws DtypeError unless it is of
  // integers that hold the last index.
  Dtype dtype = Dtype::kInt64;
  Array out = {};  // as in ReduceOptions
};
// The index along the axis of the first largest or smallest element, or of the
// first NaN if there is one. Without an axis, the index into a.ravel(). Throws
// ValueError when the axis is empty.
Array argmax(const Array& a, const ArgExtremeOptions& options = {});
Array argmin(const Array& a, const ArgExtremeOptions& options = {});

// The same with the axis alone, sum(a, 0), and with its name, argmax(a, {.axis
// = 0}); with further options, sum(a, 0, {.keepdims = true}), they throw
// ValueError when the options name an axis, too.
template <class = void>
Array sum(const Array& a, const AxisSet& axis,
          const ReduceOptions& options = {}) {
  return sum(a, with_axis("sum", axis, options));
}
template <class = void>
Array prod(const Array& a, const AxisSet& axis,
           const ReduceOptions& options = {}) {
  return prod(a, with_axis("prod", axis, options));
}
template <class = void>
Array sum_of_squares(const Array& a, const AxisSet& axis,
                     const ReduceOptions& options = {}) {
  return sum_of_squares(a, with_axis("sum_of_squares", axis, options));
}
template <class = void>
Array mean(const Array& a, const AxisSet& axis,
           const ReduceOptions& options = {}) {
  return mean(a, with_axis("mean", axis, options));
}
template <class = void>
Array max(const Array& a, const AxisSet& axis,
          const ReduceOptions& options = {}) {
  return max(a, with_axis("max", axis, options));
}
template <class = void>
Array min(const Array& a, const AxisSet& axis,
          const ReduceOptions& options = {}) {
  return min(a, with_axis("min", axis, options));
}
template <class = void>
Array amax(const Array& a, const AxisSet& axis,
           const ReduceOptions& options = {}) {
  return amax(a, with_axis("amax", axis, options));
}
template <class = void>
Array amin(const Array& a, const AxisSet& axis,
           const ReduceOptions& options = {}) {
  return amin(a, with_axis("amin", axis, options));
}
template <class = void>
Array all(const Array& a, const AxisSet& axis,
          const ReduceOptions& options = {}) {
  return all(a, with_axis("all", axis, options));
}
template <class = void>
Array any(const Array& a, const AxisSet& axis,
          const ReduceOptions& options = {}) {
  return any(a, with_axis("any", axis, options));
}
template <class = void>
Array count_nonzero(const Array& a, const AxisSet& axis,
                    const ReduceOptions& options = {}) {
  return count_nonzero(a, with_axis("count_nonzero", axis, options));
}
template <class = void>
Array argmax(const Array& a, std::optional<Axis> axis,
             const ArgExtremeOptions& options = {}) {
  return argmax(a, with_axis("argmax", axis, options));
}
template <class = void>
Array argmin(const Array& a, std::optional<Axis> axis,
             const ArgExtremeOptions& options = {}) {
  return argmin(a, with_axis("argmin", axis, options));
}

}  // namespace catena::array
