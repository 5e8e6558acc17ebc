#pragma once

#include <cstdint>
#include <optional>

#include "catena/array/array.h"

// Averages and variances with NumPy's names, defaults and dtype rules; mean is
// in reduce.h. IndexError for an axis out of range, ValueError for one that is
// named twice.
namespace catena::array {

struct VarOptions {
  std::optional<Axes> axes = std::nullopt;  // as in ReduceOptions
  // The divisor is n - ddof; NaN or infinity where that is not positive.
  int64_t ddof = 0;
  bool keepdims = false;
  // What the elements are cast to before, and the result has: floating, else
  // DtypeError.
  std::optional<Dtype> dtype = std::nullopt;
};

// sum_i |a_i - mean(a)|^2 / (n - ddof), and its square root; NaN over no
// elements. bool and integers give float64, floats keep their dtype. One pass
// over memory, exact also where the mean is large beside the deviations: the
// sums of float64 are in double, those of narrower floats in float for some
// thousand elements and then in double.
Array var(const Array& a, const VarOptions& options = {});
Array std(const Array& a, const VarOptions& options = {});

struct AverageOptions {
  std::optional<int64_t> axis = std::nullopt;  // absent: all of them
  // Has a's shape, or one number for each position along the axis.
  std::optional<Array> weights = std::nullopt;
};
// sum_i w_i a_i / sum_i w_i; the mean without weights. The dtype is what a and
// the weights promote to, float64 where a holds integers or bool. ShapeError
// for weights that do not fit; ValueError when they add up to 0.
Array average(const Array& a, const AverageOptions& options = {});

}  // namespace catena::array
