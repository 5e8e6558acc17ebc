#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "catena/array/array.h"

// Counting values, with NumPy's names, defaults and dtype rules.
namespace catena::array {

struct BincountOptions {
  std::optional<Array> weights = std::nullopt;  // of x's shape
  int64_t minlength = 0;
};
// How often each of 0, 1, ... occurs in x (n,), int64; with weights, the sums
// of theirs, float64, each in the order of x. As long as the largest value asks
// for, or minlength when that is more. ShapeError unless x has one axis and the
// weights have its shape; DtypeError unless x holds integers (not uint64) or
// bool; ValueError for a negative value or minlength. Waits for the device.
Array bincount(const Array& x, const BincountOptions& options = {});

struct HistogramOptions {
  int64_t bins = 10;
  // The first and the last edge; absent, the smallest and largest value. Values
  // outside count for nothing.
  std::optional<std::pair<double, double>> range = std::nullopt;
  std::optional<Array> weights = std::nullopt;  // of a's shape
  // The integral over the range is 1; float64.
  bool density = false;
};
struct HistogramResult {
  Array hist;
  Array bin_edges;  // float64
};
// How many elements of `a`, flattened, lie in each of `bins` intervals of equal
// width, [first, second) and so on, the last with its right edge: int64, or the
// sums of their weights in the weights' dtype. The range is one wide where it
// would have no width, and [0, 1] for no elements. ValueError for bins below 1
// and a range that is not finite or ends before it begins; ShapeError. Waits
// for the device.
HistogramResult histogram(const Array& a, const HistogramOptions& options = {});

}  // namespace catena::array
