#include "catena/links/golden_link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "catena/tests/support/array_matchers.h"

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

void expect_golden_call(Link& link, const GoldenCase& golden,
                        const LinkForward& forward) {
  const Device device = link.params().at(0).device();
  Variables inputs;
  for (const Array& in : golden.inputs()) {
    inputs.push_back(Variable(in.to_device(device),
                              {.requires_grad = is_floating(in.dtype())}));
  }
  link.cleargrads();
  const Variables outputs = forward(inputs);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::string number = std::to_string(i);
    SCOPED_TRACE("out" + number);
    EXPECT_THAT(on_host(outputs[i].data()),
                IsClose(golden.array("out" + number), golden.tolerance()));
    outputs[i].set_grad(golden.array("gout" + number).to_device(device));
  }
  catena::backward({outputs.begin(), outputs.end()});
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string key = "gin" + std::to_string(i);
    if (!golden.has(key)) continue;
    SCOPED_TRACE(key);
    EXPECT_THAT(on_host(inputs[i].grad()),
                IsClose(golden.array(key), golden.tolerance()));
  }
  for (const auto& [path, param] : link.namedparams()) {
    SCOPED_TRACE("gparam" + path);
    EXPECT_THAT(on_host(param.grad()),
                IsClose(golden.array("gparam" + path), golden.tolerance()));
  }
}

}  // namespace catena::testing
