#include "catena/array/reduce.h"

#include <string_view>

#include "catena/array/error.h"
#include "catena/array/reduce_call.h"
#include "catena/array/reduction.h"

namespace catena::array {
namespace {

// The shape without `axes` (normalized), or with extent 1 along them.
Shape reduced_shape(const Shape& shape, const Axes& axes, bool keepdims) {
  Shape reduced;
  for (int i = 0; i < shape.ndim(); ++i) {
    const bool is_reduced = axes.contains(i);
    if (is_reduced && !keepdims) continue;
    reduced.push_back(is_reduced ? 1 : shape[i]);
  }
  return reduced;
}

}  // namespace

Array call_reduction(const ReduceTraits& traits, std::string_view name,
                     const Array& a, const Axes& axes, bool keepdims) {
  const Shape shape = reduced_shape(a.shape(), axes, keepdims);
  ReduceKernel* kernel = traits.slot->on(a.device())[a.dtype()];
  if (kernel == nullptr) {
    raise<DtypeError>(name, ": not offered for dtype ", a.dtype());
  }
  // As in NumPy, an index over an empty axis is an error even if there are no
  // outputs.
  const bool needs_elements =
      !traits.has_identity && (traits.indexed || size_of(shape) > 0);
  if (needs_elements && a.size() == 0) {
    for (const int64_t axis : axes) {
      if (a.shape()[axis] > 0) continue;
      raise<ValueError>(name, ": expected at least one element along axis ",
                        axis, ", got shape ", a.shape());
    }
  }
  Array result =
      empty(shape, traits.results[static_cast<int>(a.dtype())], a.device());
  if (result.size() == 0) return result;
  ReduceArgs args;
  plan_reduction(a, axes, result, traits.indexed, args);
  kernel(args);
  return result;
}

namespace {

template <class Op>
Array reduce_over(const Array& a, const Axes& axes, bool keepdims) {
  return call_reduction(kReduceTraits<Op>, Op::kName, a, axes, keepdims);
}

template <class Op>
Array reduce(const Array& a, const ReduceOptions& options) {
  if (options.dtype.has_value()) {
    raise<DtypeError>(Op::kName, ": expected no dtype, got ", *options.dtype);
  }
  return reduce_over<Op>(a, options.axis.normalized(a.ndim(), Op::kName),
                         options.keepdims);
}

// Casts to `dtype` if given.
template <class Op>
Array reduce_as(const Array& a, const ReduceOptions& options) {
  const Axes axes = options.axis.normalized(a.ndim(), Op::kName);
  if (!options.dtype.has_value()) {
    return reduce_over<Op>(a, axes, options.keepdims);
  }
  const Dtype dtype = *options.dtype;
  // Integers wrap around equally whether cast before or after.
  const bool casts_late = is_integral(dtype) && !is_floating(a.dtype());
  const Array input =
      casts_late ? a : a.astype(dtype, Array::CopyPolicy::kIfNeeded);
  return reduce_over<Op>(input, axes, options.keepdims)
      .astype(dtype, Array::CopyPolicy::kIfNeeded);
}

template <class Op>
Array find(const Array& a, std::optional<Axis> axis) {
  if (!axis.has_value()) {
    if (a.size() == 0) {
      raise<ValueError>(
          Op::kName, ": expected at least one element, got shape ", a.shape());
    }
    return reduce_over<Op>(a.ravel(), {0}, /*keepdims=*/false);
  }
  return reduce_over<Op>(a, {normalize_axis(*axis, a.ndim(), Op::kName)},
                         /*keepdims=*/false);
}

}  // namespace

Array sum(const Array& a, const ReduceOptions& options) {
  return reduce_as<SumOp>(a, options);
}

Array prod(const Array& a, const ReduceOptions& options) {
  return reduce_as<ProdOp>(a, options);
}

Array sum_of_squares(const Array& a, const ReduceOptions& options) {
  return reduce<SumOfSquaresOp>(a, options);
}

Array mean(const Array& a, const ReduceOptions& options) {
  if (options.dtype.has_value() && !is_floating(*options.dtype)) {
    raise<DtypeError>("mean: expected a floating dtype, got ", *options.dtype);
  }
  return reduce_as<MeanOp>(a, options);
}

Array max(const Array& a, const ReduceOptions& options) {
  return reduce<MaxOp>(a, options);
}

Array min(const Array& a, const ReduceOptions& options) {
  return reduce<MinOp>(a, options);
}

Array all(const Array& a, const ReduceOptions& options) {
  return reduce<AllOp>(a, options);
}

Array any(const Array& a, const ReduceOptions& options) {
  return reduce<AnyOp>(a, options);
}

Array count_nonzero(const Array& a, const ReduceOptions& options) {
  return reduce<CountNonzeroOp>(a, options);
}

Array argmax(const Array& a, const OptionalAxisOption& options) {
  return find<ArgMaxOp>(a, options.axis);
}

Array argmin(const Array& a, const OptionalAxisOption& options) {
  return find<ArgMinOp>(a, options.axis);
}

}  // namespace catena::array

namespace catena {

Array Array::sum(const array::ReduceOptions& options) const {
  return array::sum(*this, options);
}
template <class>
Array Array::sum(const AxisSet& axis) const {
  return array::sum(*this, {.axis = axis});
}
template Array Array::sum<void>(const AxisSet& axis) const;

Array Array::prod(const array::ReduceOptions& options) const {
  return array::prod(*this, options);
}
template <class>
Array Array::prod(const AxisSet& axis) const {
  return array::prod(*this, {.axis = axis});
}
template Array Array::prod<void>(const AxisSet& axis) const;

Array Array::mean(const array::ReduceOptions& options) const {
  return array::mean(*this, options);
}
template <class>
Array Array::mean(const AxisSet& axis) const {
  return array::mean(*this, {.axis = axis});
}
template Array Array::mean<void>(const AxisSet& axis) const;

Array Array::max(const array::ReduceOptions& options) const {
  return array::max(*this, options);
}
template <class>
Array Array::max(const AxisSet& axis) const {
  return array::max(*this, {.axis = axis});
}
template Array Array::max<void>(const AxisSet& axis) const;

Array Array::min(const array::ReduceOptions& options) const {
  return array::min(*this, options);
}
template <class>
Array Array::min(const AxisSet& axis) const {
  return array::min(*this, {.axis = axis});
}
template Array Array::min<void>(const AxisSet& axis) const;

Array Array::all(const array::ReduceOptions& options) const {
  return array::all(*this, options);
}
template <class>
Array Array::all(const AxisSet& axis) const {
  return array::all(*this, {.axis = axis});
}
template Array Array::all<void>(const AxisSet& axis) const;

Array Array::any(const array::ReduceOptions& options) const {
  return array::any(*this, options);
}
template <class>
Array Array::any(const AxisSet& axis) const {
  return array::any(*this, {.axis = axis});
}
template Array Array::any<void>(const AxisSet& axis) const;

Array Array::argmax(const OptionalAxisOption& options) const {
  return array::argmax(*this, options);
}
Array Array::argmin(const OptionalAxisOption& options) const {
  return array::argmin(*this, options);
}

}  // namespace catena
