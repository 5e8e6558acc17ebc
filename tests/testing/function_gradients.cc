#include "catena/tests/testing/function_gradients.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::testing {

using ::testing::HasSubstr;

Array uniform(const Shape& shape, double low, double high, Dtype dtype,
              uint64_t seed) {
  array::random::Generator generator(seed, current_device());
  return generator.uniform(low, high, shape, dtype);
}

Array away_from_zero(const Shape& shape, double low, double high, Dtype dtype,
                     uint64_t seed) {
  array::random::Generator generator(seed, current_device());
  const Array size = generator.uniform(low, high, shape, dtype);
  const Array negated = generator.bernoulli(0.5, shape);
  return array::where(negated, -size, size);
}

namespace {

// The same elements in Fortran order.
Array in_opposite_order(const Array& a) {
  return a.transpose().copy().transpose();
}

std::vector<Array> like_outputs(
    const gradient_check::VariableFunction& function,
    const std::vector<Array>& inputs) {
  Variables variables;
  for (const Array& input : inputs) variables.push_back(as_variable(input));
  std::vector<Array> gradients;
  for (const Variable& output : function(variables)) {
    gradients.push_back(uniform(output.shape(), -1, 1, output.dtype(),
                                /*seed=*/1 + gradients.size()));
  }
  return gradients;
}

// The inputs' gradients at these gradients of outputs, undefined for constants.
std::vector<Array> gradients_of(
    const gradient_check::VariableFunction& function,
    const std::vector<Array>& inputs, const std::vector<Array>& y_grad,
    const std::vector<bool>& is_differentiated) {
  Variables variables;
  for (size_t i = 0; i < inputs.size(); ++i) {
    variables.push_back(Variable::from_data(inputs[i], is_differentiated[i]));
  }
  const Variables outputs = function(variables);
  GradOptions options;
  for (const Array& grad : y_grad) {
    options.grad_outputs.push_back(as_variable(grad));
  }
  std::vector<Array> gradients;
  for (const Variable& gradient :
       grad({outputs.begin(), outputs.end()},
            {variables.begin(), variables.end()}, options)) {
    gradients.push_back(gradient.defined() ? gradient.data() : Array());
  }
  return gradients;
}

// A function may keep less if an input is a constant; the others' gradients are
// the same.
void check_with_constants(const gradient_check::VariableFunction& function,
                          const std::vector<Array>& inputs,
                          const std::vector<Array>& y_grad,
                          const std::vector<bool>& no_grads) {
  std::vector<bool> can_be_asked_for;
  for (size_t i = 0; i < inputs.size(); ++i) {
    can_be_asked_for.push_back(is_floating(inputs[i].dtype()) &&
                               (i >= no_grads.size() || !no_grads[i]));
  }
  if (std::ranges::count(can_be_asked_for, true) < 2) return;
  const std::vector<Array> expected =
      gradients_of(function, inputs, y_grad, can_be_asked_for);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!can_be_asked_for[i]) continue;
    SCOPED_TRACE(str("input ", i, " alone is no constant"));
    std::vector<bool> alone(inputs.size());
    alone[i] = true;
    const Array gradient = gradients_of(function, inputs, y_grad, alone)[i];
    ASSERT_EQ(gradient.defined(), expected[i].defined());
    if (!gradient.defined()) continue;
    EXPECT_THAT(gradient, IsClose(expected[i]));
  }
}

}  // namespace

void check_function_gradients(const gradient_check::VariableFunction& function,
                              const std::vector<Array>& inputs,
                              const FunctionGradientOptions& options) {
  const std::vector<Array> y_grad = like_outputs(function, inputs);
  std::vector<Array> x_grad_grad;
  for (const Array& input : inputs) {
    const bool gets_one = is_floating(input.dtype());
    x_grad_grad.push_back(
        gets_one ? uniform(input.shape(), -1, 1, input.dtype(), /*seed=*/100)
                 : Array());
  }
  const auto check = [&](const std::vector<Array>& x) {
    EXPECT_NO_THROW(
        gradient_check::check_backward(function, x, y_grad, {}, options.check));
    if (!options.second_order) return;
    EXPECT_NO_THROW(gradient_check::check_double_backward(
        function, x, y_grad, x_grad_grad, {}, {}, options.check));
  };
  check(inputs);
  check_with_constants(function, inputs, y_grad, options.check.no_grads);
  std::vector<Array> reordered;
  for (const Array& input : inputs) {
    reordered.push_back(in_opposite_order(input));
  }
  check(reordered);
}

void check_elementwise_function(Variable (*function)(const Variable&),
                                const UnaryDomain& domain) {
  const auto sample = [&](const Shape& shape, Dtype dtype = Dtype::kFloat64) {
    return (domain.mirrored ? away_from_zero : uniform)(
        shape, domain.low, domain.high, dtype, /*seed=*/7);
  };
  for (const Shape& shape : {Shape{3, 4}, Shape{}, Shape{2, 0}}) {
    SCOPED_TRACE(str("shape ", shape));
    check_function_gradients(function, {sample(shape)});
  }
  for (const Dtype dtype : float_dtypes()) {
    const Variable x(sample({5}, dtype));
    const Variable y = function(x);
    EXPECT_EQ(y.dtype(), dtype);
    y.set_grad(array::ones_like(y.data()));
    y.backward();
    EXPECT_EQ(x.grad().dtype(), dtype);
  }
  for (const Dtype dtype : {Dtype::kInt32, Dtype::kBool}) {
    const Variable x(array::ones({3}, dtype));
    EXPECT_THAT(error_of<InvalidType>([&] { function(x); }),
                HasSubstr(str("Expect: x.dtype is floating\nActual: ", dtype,
                              "\nInputs: x ", dtype, " (3,)")));
  }
}

}  // namespace catena::testing
