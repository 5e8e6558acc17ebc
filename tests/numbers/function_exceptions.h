#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace catena::testing {

// What is expected of functions with unusual inputs (function_numbers.h).
enum class Expected : uint8_t {
  kSameInAnyLayout,     // outputs and gradients do not depend on strides
  kNanSpreads,          // an output that depends on a NaN is NaN
  kNanGradientSpreads,  // a gradient that depends on a NaN is NaN
  kShapesStay,          // infinities change no shape or dtype, and are no error
  kTakesNoExamples,     // an empty batch is no error
  kGivesNothing,        // an empty batch has no gradients
  kSameWithoutAxes,     // arguments without axes count as one element
};
std::string_view text_of(Expected expected);

// A function that is different on purpose.
struct FunctionException {
  std::string_view function;  // its golden file
  Expected expected;
  std::string_view why;
};

std::span<const FunctionException> function_exceptions();

}  // namespace catena::testing
