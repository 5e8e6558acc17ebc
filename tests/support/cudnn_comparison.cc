#include "catena/tests/support/cudnn_comparison.h"

#include <gmock/gmock.h>

#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"

namespace catena::testing {
namespace {

// With a setting of the config.
template <class T>
std::vector<Array> results_with(
    T Config::*setting, T value,
    const gradient_check::VariableFunction& function,
    const std::vector<Array>& inputs) {
  const auto scope = using_config(setting, value);
  Variables variables;
  for (const Array& x : inputs) variables.push_back(Variable(x));
  std::vector<Array> results;
  {
    const auto without_graph = no_backprop_mode();
    for (const Variable& y : function(variables)) results.push_back(y.data());
  }
  array::random::Generator generator(7, inputs[0].device());
  std::vector<Variable> outputs;
  GradOptions options;
  for (const Variable& y : function(variables)) {
    results.push_back(y.data());
    outputs.push_back(y);
    options.grad_outputs.push_back(
        Variable(generator.uniform(-1, 1, y.shape(), y.dtype())));
  }
  const std::vector<Variable> sources(variables.begin(), variables.end());
  for (const Variable& gx : grad(outputs, sources, options)) {
    results.push_back(gx.data());
  }
  return results;
}

Tolerance tolerance_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::kFloat64:
      return {.rtol = 1e-9, .atol = 1e-10};
    case Dtype::kFloat32:
      return {.rtol = 1e-4, .atol = 1e-5};
    case Dtype::kFloat16:
      return {.rtol = 2e-2, .atol = 1e-2};
    default:
      return {.rtol = 1e-1, .atol = 1e-1};
  }
}

// Calls check(a, b, dtype) for each result with one value of a setting, and
// with the other one.
template <class T, class Check>
void compare(T Config::*setting, T one, T other,
             const gradient_check::VariableFunction& function,
             const std::vector<Array>& inputs, const Check& check) {
  for (const Dtype dtype : float_dtypes()) {
    std::vector<Array> cast;
    for (const Array& x : inputs) cast.push_back(x.astype(dtype));
    const auto with = results_with(setting, one, function, cast);
    const auto without = results_with(setting, other, function, cast);
    ASSERT_EQ(with.size(), without.size());
    for (size_t i = 0; i < with.size(); ++i) check(with[i], without[i], dtype);
  }
}

void expect_the_same(const Array& with, const Array& without, Dtype dtype) {
  if (with.device().is_native()) {
    EXPECT_THAT(with, IsArray(without)) << dtype;
  } else {
    EXPECT_THAT(with, IsClose(without, tolerance_of(dtype))) << dtype;
  }
}

}  // namespace

void check_cudnn_changes_nothing(
    const gradient_check::VariableFunction& function,
    const std::vector<Array>& inputs) {
  compare(&Config::use_cudnn, Usage::kAlways, Usage::kNever, function, inputs,
          expect_the_same);
}

void check_setting_changes_nothing(
    bool Config::*setting, const gradient_check::VariableFunction& function,
    const std::vector<Array>& inputs) {
  compare(setting, true, false, function, inputs, expect_the_same);
}

void check_cudnn_keeps_nan(const gradient_check::VariableFunction& function,
                           const std::vector<Array>& inputs) {
  compare(&Config::use_cudnn, Usage::kAlways, Usage::kNever, function, inputs,
          [](const Array& with, const Array& without, Dtype dtype) {
            const Array lost = array::logical_and(
                array::isnan(without), array::logical_not(array::isnan(with)));
            EXPECT_THAT(lost, IsArray(array::zeros_like(lost))) << dtype;
          });
}

}  // namespace catena::testing
