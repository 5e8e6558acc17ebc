#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "catena/array/array.h"
#include "catena/autograd/gradient_check.h"

// Numerical checks that every differentiable function has to pass.
namespace catena::testing {

// Random numbers, always the same for a seed, in [low, high) on the current
// device.
Array uniform(const Shape& shape, double low = -1, double high = 1,
              Dtype dtype = Dtype::kFloat64, uint64_t seed = 0);
// The same with half of them negated: none within `low` of 0, where many
// functions have a kink.
Array away_from_zero(const Shape& shape, double low = 0.2, double high = 1,
                     Dtype dtype = Dtype::kFloat64, uint64_t seed = 0);

struct FunctionGradientOptions {
  gradient_check::CheckOptions check = {};
  // For functions whose gradients are not to be differentiated.
  bool second_order = true;
};

// check_backward and check_double_backward of the function at float64 inputs
// with random gradients of its outputs: of the inputs as they are and, to see
// that it respects strides, in the opposite order of memory.
void check_function_gradients(const gradient_check::VariableFunction& function,
                              const std::vector<Array>& inputs,
                              const FunctionGradientOptions& options = {});

// check_function_gradients of a function of one array of any shape, at numbers
// in [low, high): with two axes, with none, and with none along an axis. Then,
// that the result keeps every floating dtype, and that other dtypes are
// rejected by their name.
struct UnaryDomain {
  double low = -1;
  double high = 1;
  // Numbers of either sign, at least `low` from 0.
  bool mirrored = false;
};
void check_elementwise_function(Variable (*function)(const Variable&),
                                const UnaryDomain& domain = {});

}  // namespace catena::testing
