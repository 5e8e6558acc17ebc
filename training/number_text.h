#pragma once

#include <charconv>
#include <cmath>
#include <string>

namespace catena::training {

// Formats a number like printf's %.<precision>g, %f or %e, independently of the
// locale. A NaN is "nan", whatever its sign.
inline std::string number_text(
    double value, int precision = 6,
    std::chars_format format = std::chars_format::general) {
  if (std::isnan(value)) return "nan";  // with a sign, it is no less a NaN
  char buffer[512];
  const auto result =
      std::to_chars(buffer, buffer + sizeof(buffer), value, format, precision);
  return {buffer, result.ptr};
}

}  // namespace catena::training
