#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/array.h"

// How gradient checks compare values and report differences.
namespace catena::gradient_check::internal {

struct Tolerance {
  double atol;
  double rtol;
  // Gradients should never be NaN or infinite, but arrays may be.
  bool allows_nonfinite = false;

  bool accepts(double actual, double expected) const {
    if (!std::isfinite(actual) || !std::isfinite(expected)) {
      return allows_nonfinite && (actual == expected ||
                                  (std::isnan(actual) && std::isnan(expected)));
    }
    return std::abs(actual - expected) <= atol + rtol * std::abs(expected);
  }
};

// A number with nine significant digits.
std::string text_of(double value);

// "float64 (2, 3) [1, 2, 3, 4, 5, 6]", truncated after a few dozen elements, or
// "none".
std::string describe(const Array& a);
// A line "title i: ..." per array, each preceded by a newline.
std::string describe_list(std::string_view title,
                          const std::vector<Array>& arrays);

// Describes where two lists of values of one shape differ most, and how many
// elements fail; empty when all pass.
std::string find_difference(const std::vector<double>& actual,
                            const std::vector<double>& expected,
                            const Shape& shape, const Tolerance& tolerance);

}  // namespace catena::gradient_check::internal
