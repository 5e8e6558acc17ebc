#include "catena/array/printing/decimal.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace catena::array {
namespace {

// Parses "12.5e+03" or "12.5" into its parts.
Decimal parse(const std::string& text) {
  const size_t e = text.find('e');
  const std::string mantissa = text.substr(0, e);
  const size_t point = mantissa.find('.');
  Decimal decimal;
  decimal.integer = mantissa.substr(0, point);
  if (point != std::string::npos) decimal.fraction = mantissa.substr(point + 1);
  if (e != std::string::npos) decimal.exponent = std::atoi(&text[e + 1]);
  return decimal;
}

// Rounds to the given number of digits after the point.
Decimal rounded(double magnitude, std::chars_format format, int digits) {
  constexpr int kLongestInteger = 400;
  std::string text(kLongestInteger + digits, '\0');
  const auto end = std::to_chars(text.data(), text.data() + text.size(),
                                 magnitude, format, digits);
  text.resize(end.ptr - text.data());
  return parse(text);
}

double value_of(const Decimal& decimal) {
  const std::string text = decimal.integer + "." + decimal.fraction + "e" +
                           std::to_string(decimal.exponent);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

template <class T>
Decimal shortest(T magnitude) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), magnitude,
                                 std::chars_format::scientific);
  return parse({buffer, end.ptr});
}

// For 16-bit floats, which std::to_chars does not support: tries one digit, two
// digits, ... until the text is nearer to this number than to its neighbours.
template <class Half>
Decimal shortest_half(Half magnitude) {
  constexpr int kEnough = 6;
  const double value = static_cast<float>(magnitude);
  Half below = magnitude;
  Half above = magnitude;
  if (magnitude.bits > 0) --below.bits;
  ++above.bits;
  const double to_below = (value - static_cast<float>(below)) / 2;
  // The largest number has the same distance above as below.
  const bool largest = std::isinf(static_cast<float>(above));
  const double to_above =
      largest ? to_below : (static_cast<float>(above) - value) / 2;
  const bool even = magnitude.bits % 2 == 0;  // then halfway rounds to it
  for (int digits = 0; digits < kEnough; ++digits) {
    // At a power of two the next number above is farther away than the one
    // below, so that of two equally near digits only the upper may identify it.
    for (const double near : {value, std::nextafter(value, INFINITY)}) {
      const Decimal decimal =
          rounded(near, std::chars_format::scientific, digits);
      const double error = value_of(decimal) - value;
      if ((error > -to_below && error < to_above) ||
          (even && error >= -to_below && error <= to_above)) {
        return decimal;
      }
    }
  }
  return rounded(value, std::chars_format::scientific, kEnough);
}

Decimal shortest_scientific(double magnitude, Dtype dtype) {
  switch (dtype) {
    case Dtype::kFloat16:
      return shortest_half(float16(magnitude));
    case Dtype::kBFloat16:
      return shortest_half(bfloat16(magnitude));
    case Dtype::kFloat32:
      return shortest(static_cast<float>(magnitude));
    default:
      return shortest(magnitude);
  }
}

// Moves the point to where the exponent is 0.
Decimal to_positional(const Decimal& scientific) {
  std::string digits = scientific.integer + scientific.fraction;
  const int exponent = scientific.exponent;
  if (exponent < 0) return {"0", std::string(-exponent - 1, '0') + digits};
  const size_t before = static_cast<size_t>(exponent) + 1;
  if (digits.size() < before) digits.resize(before, '0');
  return {digits.substr(0, before), digits.substr(before)};
}

// The number of digits to print after the point if `needed` digits identify the
// number.
int given_digits(int needed, FractionDigits digits) {
  return std::min(std::max(needed, digits.min), digits.max);
}

}  // namespace

Decimal positional_decimal(double value, Dtype dtype, FractionDigits digits) {
  const double magnitude = std::abs(value);
  const Decimal shortest = shortest_scientific(magnitude, dtype);
  // Negative if the last digits before the point are not needed either.
  const int needed =
      static_cast<int>(shortest.fraction.size()) - shortest.exponent;
  const int given = given_digits(needed, digits);
  return given == needed ? to_positional(shortest)
                         : rounded(magnitude, std::chars_format::fixed, given);
}

Decimal scientific_decimal(double value, Dtype dtype, FractionDigits digits) {
  const double magnitude = std::abs(value);
  const Decimal shortest = shortest_scientific(magnitude, dtype);
  const auto needed = static_cast<int>(shortest.fraction.size());
  const int given = given_digits(needed, digits);
  return given == needed
             ? shortest
             : rounded(magnitude, std::chars_format::scientific, given);
}

void remove_trailing_zeros(Decimal& decimal) {
  decimal.fraction.resize(decimal.fraction.find_last_not_of('0') + 1);
}

}  // namespace catena::array
