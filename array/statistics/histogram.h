#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "catena/array/array.h"

// Counting values with NumPy's names, defaults and dtype rules.
namespace catena::array {

struct BincountOptions {
  NamedFieldsOnly keywords = {};
  std::optional<Array> weights = std::nullopt;  // of x's shape
  int64_t minlength = 0;
};
// The number of occurrences of 0, 1, ... in x (n,), int64; with weights, the
// sums of their weights as by scatter_add, float64. The length is max(x) + 1,
// but at least minlength. Throws ShapeError unless x is 1-d and the weights
// have its shape; DtypeError unless x holds integers (not uint64) or bool;
// ValueError for a negative value or minlength. Waits for the device.
Array bincount(const Array& x, const BincountOptions& options = {});

struct HistogramOptions {
  NamedFieldsOnly keywords = {};
  int64_t bins = 10;
  // The first and last edge; by default the smallest and largest value. Values
  // outside are ignored.
  std::optional<std::pair<double, double>> range = std::nullopt;
  std::optional<Array> weights = std::nullopt;  // of a's shape
  // Normalizes to an integral of 1 over the range; float64.
  bool density = false;
};
// Counts of n bins and their n + 1 edges.
struct HistogramResult {
  Array hist;
  Array bin_edges;  // float64
};
// The number of elements of the flattened `a` in each of `bins` half-open
// intervals of equal width (the last includes its right edge): int64, or the
// sums of their weights in the weights' dtype. A range of width 0 is widened to
// 1; it is [0, 1] for no elements. Throws ValueError for bins < 1 and a range
// that is not finite or reversed; ShapeError. Waits for the device.
HistogramResult histogram(const Array& a, const HistogramOptions& options = {});

}  // namespace catena::array
