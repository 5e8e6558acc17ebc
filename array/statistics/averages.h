#pragma once

#include <cstdint>
#include <optional>

#include "catena/array/array.h"
#include "catena/array/axis.h"

// Averages and variances with NumPy's names, defaults and dtype rules; mean is
// in reduce.h. All throw IndexError for an axis out of range, ValueError for a
// repeated one.
namespace catena::array {

struct VarOptions {
  NamedFieldsOnly keywords = {};
  AxisSet axis = {};  // as in ReduceOptions
  // The divisor is n - ddof; the result is NaN or infinity unless it is
  // positive.
  int64_t ddof = 0;
  bool keepdims = false;
  // The dtype to which the elements are cast first, and that of the result. The
  // call throws DtypeError unless it is floating.
  std::optional<Dtype> dtype = std::nullopt;
  Array out = {};  // as in ReduceOptions
};

// sum_i |a_i - mean(a)|^2 / (n - ddof), and its square root; NaN over no
// elements. bool and integers give float64, floats keep their dtype. One pass
// over memory, accurate even if the mean is large compared to the deviations.
// float64 is accumulated in double, narrower floats in float for a few thousand
// elements and then in double.
Array var(const Array& a, const VarOptions& options = {});
Array std(const Array& a, const VarOptions& options = {});
template <class = void>
Array var(const Array& a, const AxisSet& axis, const VarOptions& options = {}) {
  return var(a, with_axis("var", axis, options));
}
template <class = void>
Array std(const Array& a, const AxisSet& axis, const VarOptions& options = {}) {
  return std(a, with_axis("std", axis, options));
}

struct AverageOptions {
  NamedFieldsOnly keywords = {};
  std::optional<Axis> axis = std::nullopt;  // nullopt: all
  // Has a's shape, or one weight per index along the axis.
  std::optional<Array> weights = std::nullopt;
};
// sum_i w_i a_i / sum_i w_i; the mean without weights. The dtype is the
// promotion of a and the weights; float64 if a holds integers or bool. Throws
// ShapeError for weights of the wrong shape, ValueError when they sum to 0.
Array average(const Array& a, const AverageOptions& options = {});
template <class = void>
Array average(const Array& a, std::optional<Axis> axis) {
  return average(a, {.axis = axis});
}

}  // namespace catena::array
