#include "catena/tests/numbers/function_trial.h"

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"

namespace catena::testing {
namespace {

// 1, -2, 3, 1, -2, 3, ...
Array pattern(const Array& output) {
  const Array i = array::arange(output.size(), Dtype::kInt64) % 3;
  return array::where(array::equal(i, 1), -2, i + 1)
      .astype(output.dtype())
      .reshape(output.shape());
}

}  // namespace

FunctionPass FunctionTrial::run(const Arrays& inputs,
                                const Arrays& grad_outputs) const {
  const auto scope = using_config(&Config::train, golden_.train());
  array::random::seed(0);
  Variables variables;
  for (const Array& input : inputs) {
    variables.push_back(input.defined() ? Variable(input) : Variable());
  }
  FunctionPass pass;
  try {
    const GoldenCall call(golden_, native_device());
    std::vector<Variable> roots;
    std::vector<Variable> grads;
    for (const Variable& y : function_.call(call.with_inputs(variables))) {
      const bool has_gradient = is_floating(y.dtype());
      const size_t i = pass.outputs.size();
      pass.outputs.push_back(y.data());
      pass.grad_outputs.emplace_back();
      if (!has_gradient) continue;
      pass.grad_outputs[i] =
          grad_outputs.empty() ? pattern(y.data()) : grad_outputs[i];
      roots.push_back(y);
      grads.emplace_back(pass.grad_outputs[i]);
    }
    if (!roots.empty()) backward(roots, grads);
    for (const Variable& variable : variables) {
      const bool has_gradient =
          variable.defined() && variable.grad_var().defined();
      pass.gradients.push_back(has_gradient ? variable.grad() : Array());
    }
  } catch (const Error& error) {
    pass.error = error.what();
  }
  return pass;
}

}  // namespace catena::testing
