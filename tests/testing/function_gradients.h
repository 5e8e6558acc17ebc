#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "catena/array/array.h"
#include "catena/autograd/gradient_check.h"

// Numerical checks that every differentiable function must pass.
namespace catena::testing {

// Uniform random numbers in [low, high) on the current device, determined by
// the seed.
Array uniform(const Shape& shape, double low = -1, double high = 1,
              Dtype dtype = Dtype::kFloat64, uint64_t seed = 0);
// The same with half of the numbers negated, so that none is within `low` of 0,
// where many functions are not differentiable.
Array away_from_zero(const Shape& shape, double low = 0.2, double high = 1,
                     Dtype dtype = Dtype::kFloat64, uint64_t seed = 0);

struct FunctionGradientOptions {
  gradient_check::CheckOptions check = {};
  // False for functions without second derivatives.
  bool second_order = true;
};

// Runs check_backward and check_double_backward at float64 inputs with random
// output gradients: with the inputs as given and, to check that strides are
// respected, in the opposite memory order. Also checks that each input has the
// same gradient where all others are constants.
void check_function_gradients(const gradient_check::VariableFunction& function,
                              const std::vector<Array>& inputs,
                              const FunctionGradientOptions& options = {});

// Runs check_function_gradients for a function of one array of any shape, at
// numbers in [low, high): with two axes, 0-d, and with an empty axis. Also
// checks that every floating dtype is kept, and that other dtypes are rejected
// with a message that names the dtype.
struct UnaryDomain {
  double low = -1;
  double high = 1;
  // Use numbers of both signs, at least `low` away from 0.
  bool mirrored = false;
};
// Tests a function of one variable as said above.
void check_elementwise_function(Variable (*function)(const Variable&),
                                const UnaryDomain& domain = {});

}  // namespace catena::testing
