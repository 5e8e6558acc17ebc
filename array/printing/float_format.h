#pragma once

#include <span>
#include <string>

#include "catena/array/core/dtype.h"
#include "catena/array/printing/decimal.h"
#include "catena/array/printing/print_options.h"

namespace catena::array {

// The common layout of an array's floats: equal widths, with aligned decimal
// points.
class FloatFormat {
 public:
  // Chooses a layout for `values` of floating dtype `dtype`.
  FloatFormat(std::span<const double> values, Dtype dtype,
              const PrintOptions& options);

  // Formats one of the values.
  std::string operator()(double value) const;

 private:
  void plan_scientific(std::span<const double> finite);
  void plan_positional(std::span<const double> finite);
  void make_room_for_special(std::span<const double> values);
  std::string sign_of(double value) const;

  Dtype dtype_;
  PrintSign sign_;
  FloatMode mode_;
  FractionDigits digits_;
  bool scientific_ = false;
  bool keep_zeros_ = false;  // trailing ones
  size_t left_ = 0;          // characters before the point, sign included
  size_t right_ = 0;         // characters after it, exponent included
  size_t exponent_digits_ = 2;
};

// A single float, as Python prints NumPy scalars: "1.0", "1e-05", "nan".
std::string float_text(double value, Dtype dtype);

}  // namespace catena::array
