#include "catena/array/printing/float_format.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace catena::array {
namespace {

constexpr std::string_view kNan = "nan";
constexpr std::string_view kInf = "inf";

std::vector<double> finite_of(std::span<const double> values) {
  std::vector<double> finite;
  for (const double value : values) {
    if (std::isfinite(value)) finite.push_back(value);
  }
  return finite;
}

// a / b rounded to the dtype, on which NumPy's decision depends.
double quotient(double a, double b, Dtype dtype) {
  return visit_dtype(dtype, [&](auto tag) {
    using T = decltype(tag);
    if constexpr (std::is_same_v<T, double>) {
      return a / b;
    } else {
      const float rounded = static_cast<float>(a) / static_cast<float>(b);
      return static_cast<double>(static_cast<T>(rounded));
    }
  });
}

bool needs_exponent(std::span<const double> finite, Dtype dtype,
                    bool suppress) {
  double smallest = INFINITY;  // but for zeros
  double largest = 0;
  for (const double value : finite) {
    const double magnitude = std::abs(value);
    if (magnitude == 0) continue;
    smallest = std::min(smallest, magnitude);
    largest = std::max(largest, magnitude);
  }
  if (largest == 0) return false;
  if (largest >= 1e8) return true;
  return !suppress &&
         (smallest < 1e-4 || quotient(largest, smallest, dtype) > 1000);
}

std::string exponent_text(int exponent, size_t digits) {
  std::string text = std::to_string(std::abs(exponent));
  text.insert(0, digits - std::min(digits, text.size()), '0');
  return (exponent < 0 ? "e-" : "e+") + text;
}

}  // namespace

FloatFormat::FloatFormat(std::span<const double> values, Dtype dtype,
                         const PrintOptions& options)
    : dtype_(dtype), sign_(options.sign), mode_(options.floatmode) {
  if (mode_ != FloatMode::kUnique) digits_.max = options.precision;
  if (mode_ == FloatMode::kFixed) {
    digits_.min = options.precision;
    keep_zeros_ = true;
  }
  const std::vector<double> finite = finite_of(values);
  if (!finite.empty()) {
    scientific_ = needs_exponent(finite, dtype, options.suppress);
    if (scientific_) {
      plan_scientific(finite);
    } else {
      plan_positional(finite);
    }
    const bool any_minus = std::any_of(
        finite.begin(), finite.end(), [](double v) { return std::signbit(v); });
    if (sign_ == PrintSign::kSpace && !any_minus) ++left_;
  }
  if (finite.size() < values.size()) make_room_for_special(values);
}

// All elements get the maximum number of digits that any needs.
void FloatFormat::plan_scientific(std::span<const double> finite) {
  size_t fraction = 0;
  for (const double value : finite) {
    Decimal decimal = scientific_decimal(value, dtype_, digits_);
    if (!keep_zeros_) remove_trailing_zeros(decimal);
    left_ = std::max(left_, sign_of(value).size() + decimal.integer.size());
    fraction = std::max(fraction, decimal.fraction.size());
    if (std::abs(decimal.exponent) >= 100) exponent_digits_ = 3;
  }
  digits_ = {static_cast<int>(fraction), static_cast<int>(fraction)};
  keep_zeros_ = true;
  right_ = fraction + 2 + exponent_digits_;
}

void FloatFormat::plan_positional(std::span<const double> finite) {
  for (const double value : finite) {
    Decimal decimal = positional_decimal(value, dtype_, digits_);
    if (!keep_zeros_) remove_trailing_zeros(decimal);
    left_ = std::max(left_, sign_of(value).size() + decimal.integer.size());
    right_ = std::max(right_, decimal.fraction.size());
  }
  digits_.min = std::max(digits_.min, 0);
  if (mode_ == FloatMode::kMaxprecEqual) {
    digits_ = {static_cast<int>(right_), static_cast<int>(right_)};
    keep_zeros_ = true;
  }
}

// NaN and infinities are right-aligned in the width of the numbers.
void FloatFormat::make_room_for_special(std::span<const double> values) {
  const bool signed_inf =
      sign_ != PrintSign::kMinus ||
      std::any_of(values.begin(), values.end(),
                  [](double v) { return std::isinf(v) && v < 0; });
  const size_t width =
      std::max(kNan.size(), kInf.size() + (signed_inf ? 1 : 0));
  left_ = std::max(left_, width - std::min(width, right_ + 1));
}

std::string FloatFormat::sign_of(double value) const {
  if (std::signbit(value) && !std::isnan(value)) return "-";
  return sign_ == PrintSign::kPlus ? "+" : "";
}

std::string FloatFormat::operator()(double value) const {
  std::string text = sign_of(value);
  if (!std::isfinite(value)) {
    text += std::isnan(value) ? kNan : kInf;
    const size_t width = left_ + 1 + right_;
    return std::string(width - std::min(width, text.size()), ' ') + text;
  }
  Decimal decimal = scientific_ ? scientific_decimal(value, dtype_, digits_)
                                : positional_decimal(value, dtype_, digits_);
  if (!keep_zeros_) remove_trailing_zeros(decimal);
  text += decimal.integer;
  text.insert(0, left_ - std::min(left_, text.size()), ' ');
  std::string after = decimal.fraction;
  if (scientific_) after += exponent_text(decimal.exponent, exponent_digits_);
  after.resize(std::max(after.size(), right_), ' ');
  return text + "." + after;
}

std::string float_text(double value, Dtype dtype) {
  const std::string sign = std::signbit(value) ? "-" : "";
  if (std::isnan(value)) return std::string(kNan);
  if (std::isinf(value)) return sign + std::string(kInf);
  const double magnitude = std::abs(value);
  if (magnitude == 0 || (magnitude >= 1e-4 && magnitude < 1e16)) {
    Decimal decimal = positional_decimal(value, dtype, {});
    remove_trailing_zeros(decimal);
    if (decimal.fraction.empty()) decimal.fraction = "0";
    return sign + decimal.integer + "." + decimal.fraction;
  }
  Decimal decimal = scientific_decimal(value, dtype, {});
  remove_trailing_zeros(decimal);
  const std::string point = decimal.fraction.empty() ? "" : ".";
  return sign + decimal.integer + point + decimal.fraction +
         exponent_text(decimal.exponent, 2);
}

}  // namespace catena::array
