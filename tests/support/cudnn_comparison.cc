#include "catena/tests/support/cudnn_comparison.h"

#include <gmock/gmock.h>

#include "catena/array/random.h"
#include "catena/autograd/config.h"
#include "catena/tests/testing/array_matchers.h"

namespace catena::testing {
namespace {

std::vector<Array> results_with(
    Usage usage, const gradient_check::VariableFunction& function,
    const std::vector<Array>& inputs) {
  const auto scope = using_config(&Config::use_cudnn, usage);
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
  if (dtype == Dtype::kFloat64) return {.rtol = 1e-9, .atol = 1e-10};
  if (dtype == Dtype::kFloat32) return {.rtol = 1e-4, .atol = 1e-5};
  return {.rtol = 2e-2, .atol = 1e-2};
}

}  // namespace

void check_cudnn_changes_nothing(
    const gradient_check::VariableFunction& function,
    const std::vector<Array>& inputs) {
  for (const Dtype dtype :
       {Dtype::kFloat64, Dtype::kFloat32, Dtype::kFloat16}) {
    std::vector<Array> cast;
    for (const Array& x : inputs) cast.push_back(x.astype(dtype));
    const auto with = results_with(Usage::kAlways, function, cast);
    const auto without = results_with(Usage::kNever, function, cast);
    ASSERT_EQ(with.size(), without.size());
    for (size_t i = 0; i < with.size(); ++i) {
      if (cast[0].device().is_native()) {
        EXPECT_THAT(with[i], IsArray(without[i]));
      } else {
        EXPECT_THAT(with[i], IsClose(without[i], tolerance_of(dtype)));
      }
    }
  }
}

}  // namespace catena::testing
