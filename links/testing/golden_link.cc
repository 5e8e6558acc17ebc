#include "catena/links/testing/golden_link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/autograd/config.h"

namespace catena::testing {
namespace {

Array on_host(const Array& a) { return a.to_device(native_device()); }

}  // namespace

void set_golden_params(Link& link, const GoldenCase& golden) {
  for (const auto& [path, param] : link.namedparams()) {
    const Array value = golden.array("param" + path);
    param.initialize(value.shape());
    param.data().assign(value.to_device(param.device()));
  }
}

namespace {

// One call and its results.
struct Call {
  std::string prefix;
  Variables inputs;
  Variables outputs;
};

Call make_call(const GoldenCase& golden, std::string prefix, Device device,
               const LinkForward& forward) {
  Call call{std::move(prefix), {}, {}};
  SCOPED_TRACE(call.prefix);
  for (const Array& in : golden.arrays(call.prefix + "in")) {
    call.inputs.push_back(
        in.defined() ? Variable(in.to_device(device),
                                {.requires_grad = is_floating(in.dtype())})
                     : Variable());
  }
  call.outputs = forward(call.inputs);
  for (size_t i = 0; i < call.outputs.size(); ++i) {
    const std::string key = call.prefix + "out" + std::to_string(i);
    EXPECT_THAT(on_host(call.outputs[i].data()), golden.is_close(key)) << key;
  }
  return call;
}

bool is_training(const GoldenCase& golden, const std::string& prefix) {
  return golden.train() && !golden.has(prefix + "config/train");
}

}  // namespace

void expect_golden_call(Link& link, const GoldenCase& golden,
                        const LinkForward& forward) {
  const Device device = link.params().at(0).device();
  std::vector<std::string> prefixes;
  for (int t = 0; golden.has(str("call", t, "/out0")); ++t) {
    prefixes.push_back(str("call", t, "/"));
  }
  if (prefixes.empty()) prefixes.push_back("");
  link.cleargrads();
  std::vector<Call> calls;
  std::vector<Variable> outputs;
  for (const std::string& prefix : prefixes) {
    const bool train = is_training(golden, prefix);
    const auto scope = using_config(&Config::train, train);
    calls.push_back(make_call(golden, prefix, device, forward));
    if (!train) continue;
    for (size_t i = 0; i < calls.back().outputs.size(); ++i) {
      const Variable& output = calls.back().outputs[i];
      const Array gout = golden.array(prefix + "gout" + std::to_string(i));
      output.set_grad(gout.to_device(device));
      outputs.push_back(output);
    }
  }
  catena::backward(outputs);
  for (const Call& call : calls) {
    for (size_t i = 0; i < call.inputs.size(); ++i) {
      const std::string key = call.prefix + "gin" + std::to_string(i);
      if (!golden.has(key)) continue;
      EXPECT_THAT(on_host(call.inputs[i].grad()), golden.is_close(key)) << key;
    }
  }
  for (const auto& [path, param] : link.namedparams()) {
    const std::string key = "gparam" + path;
    SCOPED_TRACE(key);
    if (golden.has(key)) {
      EXPECT_THAT(on_host(param.grad()), golden.is_close(key));
    } else {
      EXPECT_FALSE(param.grad().defined());
    }
  }
}

}  // namespace catena::testing
