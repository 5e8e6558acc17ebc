#include "catena/array/statistics/order.h"

#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "catena/array/concatenate.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/sorting/sort.h"
#include "catena/array/ufunc/ufunc.h"

namespace catena::array {
namespace {

// The elements sorted along some axes, and the shape of the results.
struct Sorted {
  Array elements;  // (kept..., n)
  Shape shape;     // of a result

  int64_t count() const { return elements.shape().back(); }
  Array at(int64_t position) const { return elements[{ellipsis, position}]; }
};

Sorted sort_along(std::string_view name, const Array& a,
                  const AxisSet& axis_set, bool keepdims) {
  const Axes axes = axis_set.normalized(a.ndim(), name);
  Axes order;
  Shape shape;
  Shape kept;
  int64_t count = 1;
  for (int i = 0; i < a.ndim(); ++i) {
    if (axes.contains(i)) {
      count *= a.shape()[i];
      if (keepdims) shape.push_back(1);
    } else {
      order.push_back(i);
      kept.push_back(a.shape()[i]);
      shape.push_back(a.shape()[i]);
    }
  }
  for (const int64_t axis : axes) order.push_back(axis);
  kept.push_back(count);
  const Array together = (order.empty() ? a : a.transpose(order)).reshape(kept);
  return {sort(together, -1), shape};
}

// The compute dtype, wide enough that sums do not overflow.
Array widen(const Array& x) {
  return x.astype(
      x.dtype() == Dtype::kFloat32 ? Dtype::kFloat32 : Dtype::kFloat64,
      Array::CopyPolicy::kIfNeeded);
}

// The result, or NaN if the input has one: it is then the last sorted element.
Array finish(const Sorted& sorted, const Array& result, Dtype dtype) {
  Array checked = result;
  if (is_floating(sorted.elements.dtype())) {
    const Array last = sorted.at(sorted.count() - 1);
    checked = where(isnan(last), last, result);
  }
  return checked.astype(dtype, Array::CopyPolicy::kIfNeeded)
      .reshape(sorted.shape);
}

Dtype float_dtype(Dtype dtype) {
  return is_floating(dtype) ? dtype : Dtype::kFloat64;
}

// a + (b - a) t, computed from the nearer end; a itself for t = 0, even if
// infinite.
Array between(const Array& a, const Array& b, double t) {
  if (t == 0) return a;
  const Array distance = subtract(b, a);
  return t < 0.5 ? add(a, multiply(distance, t))
                 : subtract(b, multiply(distance, 1 - t));
}

Array quantile_of(const Sorted& sorted, double q, QuantileMethod method) {
  const auto last = static_cast<double>(sorted.count() - 1);
  const double position = q * last;
  const auto lower = static_cast<int64_t>(std::floor(position));
  const auto higher = static_cast<int64_t>(std::ceil(position));
  const double fraction = position - std::floor(position);
  const Dtype own = sorted.elements.dtype();
  switch (method) {
    case QuantileMethod::kLower:
      return finish(sorted, sorted.at(lower), own);
    case QuantileMethod::kHigher:
      return finish(sorted, sorted.at(higher), own);
    case QuantileMethod::kNearest:
      // std::nearbyint takes halves to even numbers.
      return finish(sorted,
                    sorted.at(static_cast<int64_t>(std::nearbyint(position))),
                    own);
    case QuantileMethod::kMidpoint:
    case QuantileMethod::kLinear:
      break;
  }
  const double t = lower == higher                       ? 0
                   : method == QuantileMethod::kMidpoint ? 0.5
                                                         : fraction;
  return finish(sorted,
                between(widen(sorted.at(lower)), widen(sorted.at(higher)), t),
                float_dtype(own));
}

// `unit` is 1 for quantiles and 100 for percentiles.
std::vector<Array> quantiles(std::string_view name, const Array& a,
                             std::span<const double> q, double unit,
                             const QuantileOptions& options) {
  for (const double share : q) {
    if (!(share >= 0 && share <= unit)) {
      raise<ValueError>(name, ": expected q in [0, ", unit, "], got ", share);
    }
  }
  const Sorted sorted = sort_along(name, a, options.axis, options.keepdims);
  if (sorted.count() == 0) {
    raise<ValueError>(name, ": expected at least one element, got shape ",
                      a.shape());
  }
  std::vector<Array> results;
  for (const double share : q) {
    results.push_back(quantile_of(sorted, share / unit, options.method));
  }
  return results;
}

Array stack_or_nothing(std::vector<Array> results) {
  if (results.empty()) {
    raise<ValueError>("quantile: expected at least one q, got none");
  }
  return stack(results);
}

}  // namespace

Array ptp(const Array& a, const OrderOptions& options) {
  const ReduceOptions reduced{.axis = options.axis,
                              .keepdims = options.keepdims};
  return subtract(max(a, reduced), min(a, reduced));
}

Array median(const Array& a, const OrderOptions& options) {
  const Sorted sorted = sort_along("median", a, options.axis, options.keepdims);
  const Dtype dtype = float_dtype(a.dtype());
  const int64_t n = sorted.count();
  if (n == 0) {
    return full(sorted.shape, std::numeric_limits<double>::quiet_NaN(), dtype,
                a.device());
  }
  const Array high = widen(sorted.at(n / 2));
  if (n % 2 == 1) return finish(sorted, high, dtype);
  // Halved first, since the sum may overflow.
  const Array low = widen(sorted.at(n / 2 - 1));
  return finish(sorted, add(multiply(low, 0.5), multiply(high, 0.5)), dtype);
}

Array quantile(const Array& a, double q, const QuantileOptions& options) {
  return quantiles("quantile", a, {&q, 1}, 1, options)[0];
}

Array quantile(const Array& a, std::span<const double> q,
               const QuantileOptions& options) {
  return stack_or_nothing(quantiles("quantile", a, q, 1, options));
}

Array percentile(const Array& a, double q, const QuantileOptions& options) {
  return quantiles("percentile", a, {&q, 1}, 100, options)[0];
}

Array percentile(const Array& a, std::span<const double> q,
                 const QuantileOptions& options) {
  return stack_or_nothing(quantiles("percentile", a, q, 100, options));
}

}  // namespace catena::array

namespace catena {

Array Array::ptp(const array::OrderOptions& options) const {
  return array::ptp(*this, options);
}

}  // namespace catena
