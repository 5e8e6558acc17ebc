#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "catena/array/array.h"

// Order statistics with NumPy's names and defaults. Elements are sorted; NaN
// among them gives NaN. IndexError for an axis out of range, ValueError for one
// that is named twice.
namespace catena::array {

struct OrderOptions {
  std::optional<Axes> axes = std::nullopt;  // as in ReduceOptions
  bool keepdims = false;
};

// The largest less the smallest element, of a's dtype; integers wrap round.
// ValueError over no elements, DtypeError for bool.
Array ptp(const Array& a, const OrderOptions& options = {});

// The middle element in order, the mean of the two middle ones of an even
// number; NaN of none. bool and integers give float64, floats keep their dtype.
Array median(const Array& a, const OrderOptions& options = {});

// Between which two elements a quantile lies when it is none of them: position
// q (n - 1) counts from 0, and i < j are the whole ones around it.
enum class QuantileMethod : uint8_t {
  kLinear,    // i + (j - i) fraction
  kLower,     // i
  kHigher,    // j
  kMidpoint,  // (i + j) / 2
  kNearest,   // the nearer of them, the even one when both are as near
};
struct QuantileOptions {
  std::optional<Axes> axes = std::nullopt;
  QuantileMethod method = QuantileMethod::kLinear;
  bool keepdims = false;
};
// The value that the share q of the elements does not exceed. The dtype is that
// of median, but a's own for lower, higher and nearest. ValueError unless q is
// in [0, 1], and over no elements.
Array quantile(const Array& a, double q, const QuantileOptions& options = {});
// Several of them along a new first axis.
Array quantile(const Array& a, std::span<const double> q,
               const QuantileOptions& options = {});

// quantile(a, q / 100).
Array percentile(const Array& a, double q, const QuantileOptions& options = {});
Array percentile(const Array& a, std::span<const double> q,
                 const QuantileOptions& options = {});

}  // namespace catena::array
