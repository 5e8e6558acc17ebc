#include "catena/array/statistics/histogram.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/elementwise.h"
#include "catena/array/index.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/take.h"
#include "catena/array/ufunc/ufunc.h"

namespace catena::array {
namespace {

void check_weights(std::string_view name, const Array& x,
                   const std::optional<Array>& weights) {
  if (!weights.has_value()) return;
  const Array* const operands[] = {&x, &*weights};
  common_device(operands, name);
  if (weights->shape() != x.shape()) {
    raise<ShapeError>(name, ": expected weights of shape ", x.shape(),
                      ", got shape ", weights->shape());
  }
}

// Counts indices in [0, length), flattened; weights are accumulated in double.
Array count_indices(const Array& indices, const std::optional<Array>& weights,
                    int64_t length) {
  const Array counts =
      zeros({length}, weights.has_value() ? Dtype::kFloat64 : Dtype::kInt64,
            indices.device());
  if (indices.size() == 0) return counts;
  if (weights.has_value()) {
    scatter_add(counts, indices.ravel(), 0,
                weights->astype(Dtype::kFloat64).ravel());
  } else {
    scatter_add(counts, indices.ravel(), 0, 1);
  }
  return counts;
}

std::pair<double, double> range_of(const Array& a,
                                   const HistogramOptions& options) {
  std::pair<double, double> range{0, 1};
  if (options.range.has_value()) {
    range = *options.range;
  } else if (a.size() > 0) {
    range = {min(a).astype(Dtype::kFloat64).item<double>(),
             max(a).astype(Dtype::kFloat64).item<double>()};
  }
  if (!std::isfinite(range.first) || !std::isfinite(range.second) ||
      range.first > range.second) {
    raise<ValueError>(
        "histogram: expected a finite range that ends after it "
        "begins, got ",
        range.first, " to ", range.second);
  }
  if (range.first == range.second) {
    range.first -= 0.5;
    range.second += 0.5;
  }
  return range;
}

}  // namespace

Array bincount(const Array& x, const BincountOptions& options) {
  if (x.ndim() != 1) {
    raise<ShapeError>("bincount: expected one axis, got shape ", x.shape());
  }
  if (is_floating(x.dtype()) || x.dtype() == Dtype::kUInt64) {
    raise<DtypeError>("bincount: expected integers that int64 holds, got ",
                      x.dtype());
  }
  if (options.minlength < 0) {
    raise<ValueError>("bincount: expected minlength of at least 0, got ",
                      options.minlength);
  }
  check_weights("bincount", x, options.weights);
  int64_t length = options.minlength;
  const Array indices = x.astype(Dtype::kInt64, Array::CopyPolicy::kIfNeeded);
  if (x.size() > 0) {
    const int64_t least = min(indices).item<int64_t>();
    if (least < 0) {
      raise<ValueError>("bincount: expected values of at least 0, got ", least);
    }
    length = std::max(length, max(indices).item<int64_t>() + 1);
  }
  return count_indices(indices, options.weights, length);
}

HistogramResult histogram(const Array& a, const HistogramOptions& options) {
  if (options.bins < 1) {
    raise<ValueError>("histogram: expected at least one bin, got ",
                      options.bins);
  }
  check_weights("histogram", a, options.weights);
  const int64_t bins = options.bins;
  const auto [first, last] = range_of(a, options);
  const Array edges = linspace(first, last, bins + 1, {.device = a.device()});
  const Array x = a.astype(Dtype::kFloat64, Array::CopyPolicy::kIfNeeded);
  const Array is_inside =
      logical_and(greater_equal(x, first), less_equal(x, last));
  // A first guess, which rounding may make wrong by one bin.
  const Array scaled = multiply(subtract(where(is_inside, x, first), first),
                                static_cast<double>(bins) / (last - first));
  Array indices = minimum(scaled.astype(Dtype::kInt64), bins - 1);
  indices = subtract(
      indices, logical_and(less(x, take(edges, indices)), greater(indices, 0))
                   .astype(Dtype::kInt64));
  indices =
      add(indices, logical_and(greater_equal(x, take(edges, add(indices, 1))),
                               less(indices, bins - 1))
                       .astype(Dtype::kInt64));
  // Values outside are counted in an extra bin, which is dropped.
  indices = where(is_inside, indices, bins);
  const Array counts =
      count_indices(indices, options.weights, bins + 1)[{Slice(bins)}];
  if (options.density) {
    const Array widths = subtract(edges[{Slice(1, {})}], edges[{Slice(bins)}]);
    return {true_divide(true_divide(counts, widths),
                        sum(counts).astype(Dtype::kFloat64)),
            edges};
  }
  return {options.weights.has_value() ? counts.astype(options.weights->dtype())
                                      : counts.copy(),
          edges};
}

}  // namespace catena::array
