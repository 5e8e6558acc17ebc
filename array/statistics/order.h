#pragma once

#include <cstdint>
#include <span>

#include "catena/array/array.h"
#include "catena/array/axis.h"

// Order statistics with NumPy's names and defaults. NaN in the input gives NaN.
// All throw IndexError for an axis out of range, ValueError for a repeated one.
namespace catena::array {

struct OrderOptions {
  NamedFieldsOnly keywords = {};
  AxisSet axis = {};  // as in ReduceOptions
  bool keepdims = false;
};

// The largest minus the smallest element, with a's dtype; integers wrap around.
// Throws ValueError over no elements, DtypeError for bool.
Array ptp(const Array& a, const OrderOptions& options = {});
template <class = void>
Array ptp(const Array& a, const AxisSet& axis) {
  return ptp(a, {.axis = axis});
}

// The middle element in sorted order, or the mean of the two middle ones; NaN
// over no elements. bool and integers give float64, floats keep their dtype.
Array median(const Array& a, const OrderOptions& options = {});
template <class = void>
Array median(const Array& a, const AxisSet& axis) {
  return median(a, {.axis = axis});
}

// How a quantile between two elements is computed. Its position in sorted order
// is q (n - 1), counted from 0; i < j are the elements around it.
enum class QuantileMethod : uint8_t {
  kLinear,    // i + (j - i) fraction
  kLower,     // i
  kHigher,    // j
  kMidpoint,  // (i + j) / 2
  kNearest,   // the nearer one; for ties the one of even index
};
struct QuantileOptions {
  NamedFieldsOnly keywords = {};
  AxisSet axis = {};
  QuantileMethod method = QuantileMethod::kLinear;
  bool keepdims = false;
};
// The value that a fraction q of the elements does not exceed. The dtype is
// that of median, but a's own for lower, higher and nearest. Throws ValueError
// unless q is in [0, 1], and over no elements.
Array quantile(const Array& a, double q, const QuantileOptions& options = {});
// Several quantiles along a new first axis.
Array quantile(const Array& a, std::span<const double> q,
               const QuantileOptions& options = {});
template <class = void>
Array quantile(const Array& a, double q, const AxisSet& axis) {
  return quantile(a, q, {.axis = axis});
}
template <class = void>
Array quantile(const Array& a, std::span<const double> q, const AxisSet& axis) {
  return quantile(a, q, {.axis = axis});
}

// quantile(a, q / 100).
Array percentile(const Array& a, double q, const QuantileOptions& options = {});
Array percentile(const Array& a, std::span<const double> q,
                 const QuantileOptions& options = {});
template <class = void>
Array percentile(const Array& a, double q, const AxisSet& axis) {
  return percentile(a, q, {.axis = axis});
}
template <class = void>
Array percentile(const Array& a, std::span<const double> q,
                 const AxisSet& axis) {
  return percentile(a, q, {.axis = axis});
}

}  // namespace catena::array
