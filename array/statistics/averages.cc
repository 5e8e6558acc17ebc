#include "catena/array/statistics/averages.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/elementwise.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/reduction/reduce_call.h"
#include "catena/array/ufunc/ufunc.h"

namespace catena::array {
namespace {

// The variance, or its square root.
Array deviation(std::string_view name, const Array& a,
                const VarOptions& options, bool takes_root) {
  const Dtype dtype = options.dtype.value_or(
      is_floating(a.dtype()) ? a.dtype() : Dtype::kFloat64);
  if (!is_floating(dtype)) {
    raise<DtypeError>(name, ": expected a floating dtype, got ", dtype);
  }
  const Axes axes = options.axis.normalized(a.ndim(), name);
  const Shape shape = reduced_shape(a.shape(), axes, options.keepdims);
  const Output output(name, options.out, shape, dtype, a.device());
  int64_t count = 1;
  for (const int64_t axis : axes) count *= a.shape()[axis];
  const Array input =
      options.dtype.has_value()
          ? a.astype(*options.dtype, Array::CopyPolicy::kIfNeeded)
          : a;
  // In double.
  const Array none;
  Array result =
      call_reduction(kReduceTraits<SquaredDeviationsOp>, name, input, axes,
                     Output(name, none, shape, Dtype::kFloat64, a.device()));
  const int64_t divisor = std::max<int64_t>(count - options.ddof, 0);
  result = true_divide(std::move(result), static_cast<double>(divisor));
  return output.finish(takes_root ? sqrt(std::move(result)) : result);
}

}  // namespace

Array var(const Array& a, const VarOptions& options) {
  return deviation("var", a, options, /*takes_root=*/false);
}

Array std(const Array& a, const VarOptions& options) {
  return deviation("std", a, options, /*takes_root=*/true);
}

Array average(const Array& a, const AverageOptions& options) {
  ReduceOptions reduced;
  int axis = 0;  // of weights along an axis
  if (options.axis.has_value()) {
    axis = normalize_axis(*options.axis, a.ndim(), "average");
    reduced.axis = axis;
  }
  if (!options.weights.has_value()) return mean(a, reduced);
  Array weights = *options.weights;
  const Array* const operands[] = {&a, &weights};
  common_device(operands, "average");
  if (weights.shape() != a.shape()) {
    const bool is_along_axis = options.axis.has_value() &&
                               weights.ndim() == 1 &&
                               weights.shape()[0] == a.shape()[axis];
    if (!is_along_axis) {
      raise<ShapeError>(
          "average: expected weights of a's shape, or one for "
          "each position along the axis, got shapes ",
          a.shape(), " and ", weights.shape());
    }
    Shape shape = Shape::filled(a.ndim(), 1);
    shape[axis] = weights.size();
    weights = weights.reshape(shape);
  }
  const Dtype dtype = is_floating(a.dtype())
                          ? promote(a.dtype(), weights.dtype())
                          : Dtype::kFloat64;
  weights = weights.astype(dtype, Array::CopyPolicy::kIfNeeded);
  const Array total = sum(weights, reduced);
  if (any(equal(total, 0)).item<bool>()) {
    raise<ValueError>(
        "average: expected weights with a nonzero sum, got a sum of 0");
  }
  return true_divide(sum(multiply(a, weights), reduced), total)
      .astype(dtype, Array::CopyPolicy::kIfNeeded);
}

}  // namespace catena::array

namespace catena {

Array Array::var(const array::VarOptions& options) const {
  return array::var(*this, options);
}
Array Array::var(const AxisSet& axis, const array::VarOptions& options) const {
  return array::var(*this, axis, options);
}

Array Array::std(const array::VarOptions& options) const {
  return array::std(*this, options);
}
Array Array::std(const AxisSet& axis, const array::VarOptions& options) const {
  return array::std(*this, axis, options);
}

}  // namespace catena
