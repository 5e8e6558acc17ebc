#include "catena/autograd/gradient_difference.h"

#include <algorithm>
#include <charconv>

#include "catena/array/core/error.h"
#include "catena/autograd/numerical_grad.h"

namespace catena::gradient_check::internal {
namespace {

// Converts a C-order position to an index: "(1, 2)".
std::string index_text(int64_t position, const Shape& shape) {
  Shape index = shape;
  for (int axis = shape.ndim() - 1; axis >= 0; --axis) {
    index[axis] = position % shape[axis];
    position /= shape[axis];
  }
  return to_string(index);
}

}  // namespace

std::string text_of(double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value,
                                 std::chars_format::general, 9);
  return std::string(buffer, end.ptr);
}

std::string describe(const Array& a) {
  constexpr size_t kMax = 48;
  if (!a.defined()) return "none";
  const std::vector<double> values = to_doubles(a);
  std::string text = str(a.dtype(), " ", a.shape(), " [");
  for (size_t i = 0; i < std::min(values.size(), kMax); ++i) {
    text += (i > 0 ? ", " : "") + text_of(values[i]);
  }
  return text + (values.size() > kMax ? ", ...]" : "]");
}

std::string describe_list(std::string_view title,
                          const std::vector<Array>& arrays) {
  std::string text;
  for (size_t i = 0; i < arrays.size(); ++i) {
    text += str("\n", title, " ", i, ": ", describe(arrays[i]));
  }
  return text;
}

std::string find_difference(const std::vector<double>& actual,
                            const std::vector<double>& expected,
                            const Shape& shape, const Tolerance& tolerance) {
  int64_t failures = 0;
  size_t worst = 0;
  double max_error = -1;
  for (size_t i = 0; i < actual.size(); ++i) {
    if (tolerance.accepts(actual[i], expected[i])) continue;
    ++failures;
    const double error = std::abs(actual[i] - expected[i]);
    if (max_error < 0 || error > max_error || std::isnan(error)) {
      worst = i;
      max_error = error;
    }
  }
  if (failures == 0) return {};
  return str(failures, " of ", actual.size(), " elements differ, max error ",
             text_of(max_error), " at ",
             index_text(static_cast<int64_t>(worst), shape), ": expected ",
             text_of(expected[worst]), ", got ", text_of(actual[worst]),
             " (atol ", text_of(tolerance.atol), ", rtol ",
             text_of(tolerance.rtol), ")");
}

}  // namespace catena::gradient_check::internal
