#include "catena/tests/support/function_golden.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <ostream>
#include <set>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/reduction/reduce.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_description.h"
#include "catena/autograd/function_hook.h"
#include "catena/autograd/function_node.h"
#include "catena/autograd/testing/live_objects.h"

namespace catena::testing {
namespace {

// The functions that do not say what they are.
class Undescribed final : public FunctionHook {
 public:
  std::string_view name() const override { return "undescribed"; }
  void forward_postprocess(const FunctionNode& function,
                           const Arrays&) override {
    if (function.description().kind().is_stated()) return;
    labels.emplace_back(function.label());
  }

  std::vector<std::string> labels;
};

}  // namespace

GoldenCall::GoldenCall(const GoldenCase& golden, Device device)
    : golden_(golden), device_(device) {
  for (const Array& input : golden.inputs()) {
    inputs_.push_back(input.defined() ? Variable(input.to_device(device))
                                      : Variable());
  }
}

GoldenCall GoldenCall::with_inputs(Variables inputs) const {
  GoldenCall other = *this;
  other.inputs_ = std::move(inputs);
  other.has_golden_inputs_ = false;
  return other;
}

void GoldenCall::expect_updated(std::string_view keyword,
                                const Array& array) const {
  if (!has_golden_inputs_) return;
  EXPECT_THAT(array, golden_.is_close(str("after/", keyword)))
      << keyword << " after the call";
}

void FunctionGoldenTest::check_case() {
  const ExpectNoSurvivors survivors;
  const auto scope = using_config(&Config::train, golden().train());
  check_forward();
  if (golden().has("gout0")) check_gradients();
  if (!golden().keys("ggin").empty()) check_second_order();
}

void FunctionGoldenTest::check_forward() {
  Undescribed undescribed;
  const FunctionHookScope scope(undescribed);
  const std::vector<Variable> outputs = GetParam().function->call(make_call());
  EXPECT_THAT(undescribed.labels, ::testing::IsEmpty());
  const std::vector<Array> expected = golden().outputs();
  ASSERT_EQ(outputs.size(), expected.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    EXPECT_THAT(outputs[i].data(), golden().is_close(str("out", i)))
        << "output " << i;
  }
}

void FunctionGoldenTest::expect_gradient(const Variable& gradient,
                                         const std::string& key) {
  if (golden().has(key)) {
    ASSERT_TRUE(gradient.defined()) << key << " is missing";
    EXPECT_THAT(gradient.data(), golden().is_close(key)) << key;
  } else if (gradient.defined()) {
    EXPECT_FALSE(array::any(gradient.data()).item<bool>())
        << "expected no gradient for " << key << ", got " << gradient;
  }
}

std::vector<Variable> FunctionGoldenTest::grad_outputs(
    const std::vector<Variable>& outputs) const {
  std::vector<Variable> result(outputs.size());
  const std::vector<Array> gradients = golden().arrays("gout");
  for (size_t i = 0; i < gradients.size(); ++i) {
    // copy() has its result on another device.
    if (gradients[i].defined()) {
      result[i] = Variable(gradients[i].to_device(outputs[i].device()));
    }
  }
  return result;
}

void FunctionGoldenTest::check_gradients() {
  const GoldenCall call = make_call();
  const Variables& in = call.inputs();
  const std::vector<Variable> outputs = GetParam().function->call(call);
  backward(outputs, grad_outputs(outputs));
  for (size_t i = 0; i < in.size(); ++i) {
    if (in[i].defined()) expect_gradient(in[i].grad_var(), str("gin", i));
  }
}

void FunctionGoldenTest::check_second_order() {
  const GoldenCall call = make_call();
  const Variables& in = call.inputs();
  const std::vector<Variable> outputs = GetParam().function->call(call);
  const std::vector<Variable> gouts = grad_outputs(outputs);
  // The gradients to differentiate, and their upstream gradients.
  std::vector<Variable> firsts;
  std::vector<Variable> seconds;
  const std::vector<Array> gradients = golden().arrays("ggin");
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].defined()) continue;
    firsts.push_back(in[i]);
    seconds.push_back(as_variable(gradients[i].to_device(GetParam().device)));
  }
  const std::vector<Variable> gins = grad(
      outputs, firsts, {.grad_outputs = gouts, .enable_double_backprop = true});

  std::vector<Variable> wanted;
  std::vector<std::string> keys;
  const auto want = [&](const Variable& variable, const std::string& key) {
    if (!variable.defined()) return;
    wanted.push_back(variable);
    keys.push_back(key);
  };
  for (size_t i = 0; i < in.size(); ++i) want(in[i], str("gg/in", i));
  for (size_t i = 0; i < gouts.size(); ++i) {
    want(gouts[i], str("gg/gout", i));
  }
  const std::vector<Variable> results =
      grad(gins, wanted, {.grad_outputs = seconds});
  for (size_t i = 0; i < results.size(); ++i) {
    expect_gradient(results[i], keys[i]);
  }
}

std::ostream& operator<<(std::ostream& os, const GoldenFunctionCase& c) {
  return os << c.function->file << ' ' << c.golden << " on " << c.device;
}

std::vector<GoldenFunctionCase> golden_function_cases(
    std::string_view folder, std::span<const GoldenFunction> table) {
  const std::vector<std::string> files = golden_files(folder);
  std::vector<GoldenFunctionCase> cases;
  for (const GoldenFunction& function : table) {
    if (std::ranges::find(files, function.file) == files.end()) continue;
    for (const GoldenCase& golden :
         golden_cases(str(folder, "/", function.file))) {
      for (const Device device : test_devices()) {
        cases.push_back({&function, golden, device});
      }
    }
  }
  return cases;
}

std::string golden_function_name(
    const ::testing::TestParamInfo<GoldenFunctionCase>& info) {
  const GoldenFunctionCase& c = info.param;
  return str(c.function->file, "_", golden_case_name({c.golden, info.index}),
             "_", device_name({c.device, info.index}));
}

void check_golden_table(std::string_view folder,
                        std::span<const GoldenFunction> table) {
  const std::vector<std::string> files = golden_files(folder);
  std::set<std::string> without_row(files.begin(), files.end());
  for (const GoldenFunction& function : table) {
    const std::string path = str(folder, "/", function.file);
    if (without_row.erase(std::string(function.file)) == 0) {
      ADD_FAILURE() << path << ".npz has a row and is no golden file";
    } else {
      EXPECT_FALSE(golden_cases(path).empty()) << path << ".npz has no case";
    }
  }
  for (const std::string& file : without_row) {
    ADD_FAILURE() << folder << '/' << file << ".npz has no row";
  }
}

}  // namespace catena::testing
