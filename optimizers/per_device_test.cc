// Functions and update rules with a method for the CPU and one for GPUs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/function_node.h"
#include "catena/autograd/parameter.h"
#include "catena/optimizers/sgd.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::optimizers {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::IsArray;
using ::testing::HasSubstr;

class PerDeviceTest : public ::catena::testing::DeviceTest {
 protected:
  bool on_host() const { return device().is_native(); }
  Array values() const { return array::array({1.0, 2.0, 3.0}); }
};

class TwoForwards final : public FunctionNode {
 public:
  std::string_view label() const override { return "TwoForwards"; }
  Arrays forward_cpu(const Arrays& in) override { return {2.0 * in[0]}; }
  Arrays forward_gpu(const Arrays& in) override { return {3.0 * in[0]}; }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {gy[0]};
  }
};

TEST_P(PerDeviceTest, AFunctionHasAForwardForEachKindOfDevice) {
  EXPECT_THAT(apply<TwoForwards>({Variable(values())}).data(),
              IsArray((on_host() ? 2.0 : 3.0) * values()));
}

class TwoCores final : public UpdateRuleOf<SGDOptions> {
 public:
  using UpdateRuleOf::UpdateRuleOf;

 private:
  void update_core_cpu(const Parameter& parameter) override {
    parameter.data() -= 2.0 * parameter.grad();
  }
  void update_core_gpu(const Parameter& parameter) override {
    parameter.data() -= 3.0 * parameter.grad();
  }
};

class NoCore final : public UpdateRuleOf<SGDOptions> {
 public:
  using UpdateRuleOf::UpdateRuleOf;
};

template <class Rule>
Parameter updated(const Array& values) {
  Parameter parameter(values.copy());
  parameter.set_grad(array::ones_like(values));
  parameter.set_update_rule(
      std::make_shared<Rule>(std::make_shared<const SGDOptions>()));
  parameter.update();
  return parameter;
}

TEST_P(PerDeviceTest, ARuleHasAnUpdateForEachKindOfDevice) {
  EXPECT_THAT(updated<TwoCores>(values()).data(),
              IsArray(values() - (on_host() ? 2.0 : 3.0)));
}

TEST_P(PerDeviceTest, ARuleWithoutAnUpdateSaysWhatToOverride) {
  EXPECT_THAT(
      error_of<NotImplementedError>([&] { updated<NoCore>(values()); }),
      HasSubstr(on_host() ? "expected the class to override update_core or "
                            "update_core_cpu"
                          : "expected the class to override update_core or "
                            "update_core_gpu"));
}

INSTANTIATE_TEST_SUITE_P(PerDevice, PerDeviceTest,
                         ::catena::testing::every_device(),
                         ::catena::testing::device_name);

}  // namespace
}  // namespace catena::optimizers
