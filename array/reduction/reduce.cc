#include "catena/array/reduction/reduce.h"

#include <string_view>

#include "catena/array/core/error.h"
#include "catena/array/reduction/reduce_call.h"
#include "catena/array/reduction/reduction.h"

namespace catena::array {
namespace {

Dtype result_dtype(const ReduceTraits& traits, Dtype dtype) {
  return traits.results[static_cast<int>(dtype)];
}

// Throws DtypeError unless the indices of `extent` elements fit.
void check_index_dtype(std::string_view name, int64_t extent, Dtype dtype) {
  if (!is_integral(dtype)) {
    raise<DtypeError>(name, ": expected an integer dtype, got ", dtype);
  }
  const bool is_signed = kind_of(dtype) == DtypeKind::kInt;
  const int64_t bits = 8 * item_size(dtype) - (is_signed ? 1 : 0);
  if (bits < 63 && extent > int64_t{1} << bits) {
    raise<DtypeError>(name, ": ", dtype, " cannot hold the indices of ", extent,
                      " elements");
  }
}

}  // namespace

Shape reduced_shape(const Shape& shape, const Axes& axes, bool keepdims) {
  Shape reduced;
  for (int i = 0; i < shape.ndim(); ++i) {
    const bool is_reduced = axes.contains(i);
    if (is_reduced && !keepdims) continue;
    reduced.push_back(is_reduced ? 1 : shape[i]);
  }
  return reduced;
}

Array call_reduction(const ReduceTraits& traits, std::string_view name,
                     const Array& a, const Axes& axes, const Output& output) {
  ReduceKernel* kernel = traits.slot->on(a.device())[a.dtype()];
  if (kernel == nullptr) {
    raise<DtypeError>(name, ": not offered for dtype ", a.dtype());
  }
  // As in NumPy, an index over an empty axis is an error even if there are no
  // outputs.
  const bool needs_elements =
      !traits.has_identity && (traits.indexed || size_of(output.shape()) > 0);
  if (needs_elements && a.size() == 0) {
    for (const int64_t axis : axes) {
      if (a.shape()[axis] > 0) continue;
      raise<ValueError>(name, ": expected at least one element along axis ",
                        axis, ", got shape ", a.shape());
    }
  }
  const Array result = output.room(result_dtype(traits, a.dtype()), {&a});
  if (result.size() > 0) {
    ReduceArgs args;
    plan_reduction(a, axes, result, traits.indexed, args);
    kernel(args);
  }
  return output.finish(result);
}

Array call_reduction(const ReduceTraits& traits, std::string_view name,
                     const Array& a, const ReduceOptions& options) {
  const Axes axes = options.axis.normalized(a.ndim(), name);
  const Shape shape = reduced_shape(a.shape(), axes, options.keepdims);
  const Dtype dtype = options.dtype.value_or(result_dtype(traits, a.dtype()));
  const Output output(name, options.out, shape, dtype, a.device());
  // Integers wrap around equally whether cast before or after.
  const bool casts_late =
      !options.dtype || (is_integral(dtype) && !is_floating(a.dtype()));
  return call_reduction(
      traits, name,
      casts_late ? a : a.astype(dtype, Array::CopyPolicy::kIfNeeded), axes,
      output);
}

namespace {

template <class Op>
Array reduce_as(const Array& a, const ReduceOptions& options) {
  return call_reduction(kReduceTraits<Op>, Op::kName, a, options);
}

template <class Op>
Array reduce(const Array& a, const ReduceOptions& options) {
  if (options.dtype.has_value()) {
    raise<DtypeError>(Op::kName, ": expected no dtype, got ", *options.dtype);
  }
  return reduce_as<Op>(a, options);
}

template <class Op>
Array find(const Array& a, const ArgExtremeOptions& options) {
  constexpr std::string_view kName = Op::kName;
  const bool is_flat = !options.axis.has_value();
  if (is_flat && a.size() == 0) {
    raise<ValueError>(kName, ": expected at least one element, got shape ",
                      a.shape());
  }
  const Axes axes = AxisSet(options.axis).normalized(a.ndim(), kName);
  check_index_dtype(kName, is_flat ? a.size() : a.shape()[axes[0]],
                    options.dtype);
  const Shape shape = reduced_shape(a.shape(), axes, options.keepdims);
  const Output output(kName, options.out, shape, options.dtype, a.device());
  return call_reduction(kReduceTraits<Op>, kName, is_flat ? a.ravel() : a,
                        is_flat ? Axes{0} : axes, output);
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

Array argmax(const Array& a, const ArgExtremeOptions& options) {
  return find<ArgMaxOp>(a, options);
}

Array argmin(const Array& a, const ArgExtremeOptions& options) {
  return find<ArgMinOp>(a, options);
}

}  // namespace catena::array

namespace catena {

Array Array::sum(const array::ReduceOptions& options) const {
  return array::sum(*this, options);
}
Array Array::sum(const AxisSet& axis,
                 const array::ReduceOptions& options) const {
  return array::sum(*this, axis, options);
}

Array Array::prod(const array::ReduceOptions& options) const {
  return array::prod(*this, options);
}
Array Array::prod(const AxisSet& axis,
                  const array::ReduceOptions& options) const {
  return array::prod(*this, axis, options);
}

Array Array::mean(const array::ReduceOptions& options) const {
  return array::mean(*this, options);
}
Array Array::mean(const AxisSet& axis,
                  const array::ReduceOptions& options) const {
  return array::mean(*this, axis, options);
}

Array Array::max(const array::ReduceOptions& options) const {
  return array::max(*this, options);
}
Array Array::max(const AxisSet& axis,
                 const array::ReduceOptions& options) const {
  return array::max(*this, axis, options);
}

Array Array::min(const array::ReduceOptions& options) const {
  return array::min(*this, options);
}
Array Array::min(const AxisSet& axis,
                 const array::ReduceOptions& options) const {
  return array::min(*this, axis, options);
}

Array Array::all(const array::ReduceOptions& options) const {
  return array::all(*this, options);
}
Array Array::all(const AxisSet& axis,
                 const array::ReduceOptions& options) const {
  return array::all(*this, axis, options);
}

Array Array::any(const array::ReduceOptions& options) const {
  return array::any(*this, options);
}
Array Array::any(const AxisSet& axis,
                 const array::ReduceOptions& options) const {
  return array::any(*this, axis, options);
}

Array Array::argmax(const array::ArgExtremeOptions& options) const {
  return array::argmax(*this, options);
}
Array Array::argmax(std::optional<Axis> axis,
                    const array::ArgExtremeOptions& options) const {
  return array::argmax(*this, axis, options);
}

Array Array::argmin(const array::ArgExtremeOptions& options) const {
  return array::argmin(*this, options);
}
Array Array::argmin(std::optional<Axis> axis,
                    const array::ArgExtremeOptions& options) const {
  return array::argmin(*this, axis, options);
}

}  // namespace catena
