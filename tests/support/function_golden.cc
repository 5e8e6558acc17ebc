#include "catena/tests/support/function_golden.h"

#include "catena/array/error.h"
#include "catena/array/reduce.h"
#include "catena/autograd/config.h"
#include "catena/autograd/testing/live_objects.h"

namespace catena::testing {

Variables FunctionGoldenTest::inputs() const {
  Variables variables;
  for (const Array& input : golden().inputs()) {
    variables.push_back(input.defined() ? Variable(input.to_device(device()))
                                        : Variable());
  }
  return variables;
}

void FunctionGoldenTest::check(const Call& call) {
  const ExpectNoSurvivors survivors;
  const auto scope = using_config(&Config::train, golden().train());
  check_forward(call);
  if (golden().has("gout0")) check_gradients(call);
  if (!golden().keys("ggin").empty()) check_second_order(call);
}

void FunctionGoldenTest::check_forward(const Call& call) {
  const std::vector<Variable> outputs = call(inputs());
  const std::vector<Array> expected = golden().outputs();
  ASSERT_EQ(outputs.size(), expected.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    EXPECT_THAT(outputs[i].data(), IsClose(expected[i], golden().tolerance()))
        << "output " << i;
  }
}

void FunctionGoldenTest::expect_gradient(const Variable& gradient,
                                         const std::string& key) {
  if (golden().has(key)) {
    ASSERT_TRUE(gradient.defined()) << key << " is missing";
    EXPECT_THAT(gradient.data(),
                IsClose(golden().array(key), golden().tolerance()))
        << key;
  } else if (gradient.defined()) {
    EXPECT_FALSE(array::any(gradient.data()).item<bool>())
        << "expected no gradient for " << key << ", got " << gradient;
  }
}

void FunctionGoldenTest::check_gradients(const Call& call) {
  const Variables in = inputs();
  const std::vector<Variable> outputs = call(in);
  std::vector<Variable> grad_outputs;
  for (const Array& gradient : golden().arrays("gout")) {
    grad_outputs.push_back(gradient.defined()
                               ? as_variable(gradient.to_device(device()))
                               : Variable());
  }
  grad_outputs.resize(outputs.size());
  backward(outputs, grad_outputs);
  for (size_t i = 0; i < in.size(); ++i) {
    if (in[i].defined()) expect_gradient(in[i].grad_var(), str("gin", i));
  }
}

void FunctionGoldenTest::check_second_order(const Call& call) {
  const Variables in = inputs();
  const std::vector<Variable> outputs = call(in);
  std::vector<Variable> grad_outputs(outputs.size());
  const std::vector<Array> gouts = golden().arrays("gout");
  for (size_t i = 0; i < gouts.size(); ++i) {
    if (gouts[i].defined()) {
      grad_outputs[i] = Variable(gouts[i].to_device(device()));
    }
  }
  // The gradients to differentiate, and their upstream gradients.
  std::vector<Variable> firsts;
  std::vector<Variable> seconds;
  const std::vector<Array> gradients = golden().arrays("ggin");
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].defined()) continue;
    firsts.push_back(in[i]);
    seconds.push_back(as_variable(gradients[i].to_device(device())));
  }
  const std::vector<Variable> gins =
      grad(outputs, firsts,
           {.grad_outputs = grad_outputs, .enable_double_backprop = true});

  std::vector<Variable> wanted;
  std::vector<std::string> keys;
  const auto want = [&](const Variable& variable, const std::string& key) {
    if (!variable.defined()) return;
    wanted.push_back(variable);
    keys.push_back(key);
  };
  for (size_t i = 0; i < in.size(); ++i) want(in[i], str("gg/in", i));
  for (size_t i = 0; i < grad_outputs.size(); ++i) {
    want(grad_outputs[i], str("gg/gout", i));
  }
  const std::vector<Variable> results =
      grad(gins, wanted, {.grad_outputs = seconds});
  for (size_t i = 0; i < results.size(); ++i) {
    expect_gradient(results[i], keys[i]);
  }
}

}  // namespace catena::testing
