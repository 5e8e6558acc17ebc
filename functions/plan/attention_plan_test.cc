// Attention is one step of a plan, with the bits of a call.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/autograd/config.h"
#include "catena/functions/attention/attention.h"
#include "catena/functions/plan/execution_plan.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::IsArray;
using ::testing::HasSubstr;

class AttentionPlanTest : public testing::DeviceTest {
 protected:
  static Array random(const Shape& shape, Dtype dtype = Dtype::kFloat32) {
    return array::random::uniform(-1, 1, shape, dtype);
  }

 private:
  ConfigScope<bool> backprop_ = no_backprop_mode();
};
INSTANTIATE_TEST_SUITE_P(Attention, AttentionPlanTest, testing::every_device(),
                         testing::device_name);

ExecutionPlan plan_of(const AttentionOptions& options) {
  return ExecutionPlan([options](const std::vector<Variable>& in) {
    return std::vector<Variable>{attention(in[0], in[1], in[2], options)};
  });
}

TEST_P(AttentionPlanTest, IsOneStepWithTheBitsOfACall) {
  const AttentionOptions all_options[] = {
      {},
      {.causal = true},
      {.causal = true,
       .window = 5,
       .mask = random({70, 90}),
       .lengths = array::array({80, 31}, Dtype::kInt32, native_device()),
       .alibi_slopes = random({4}),
       .soft_cap = 2}};
  for (const Dtype dtype : {Dtype::kFloat32, Dtype::kBFloat16}) {
    for (const AttentionOptions& options : all_options) {
      ExecutionPlan plan = plan_of(options);
      for (int i = 0; i < 2; ++i) {
        const Variable q(random({2, 4, 70, 16}, dtype));
        const Variable k(random({2, 2, 90, 16}, dtype));
        const Variable v(random({2, 2, 90, 24}, dtype));
        const Variable y = plan(std::vector<Variable>{q, k, v})[0];
        EXPECT_THAT(y.data(), IsArray(attention(q, k, v, options).data()));
      }
      EXPECT_EQ(plan.n_traces(), 1);
      if (!device().is_native()) continue;  // a graph has no list of steps
      ASSERT_EQ(plan.steps().size(), 1U);
      EXPECT_EQ(plan.steps()[0].functions, "attention");
      EXPECT_EQ(plan.steps()[0].shape, Shape({2, 4, 70, 24}));
    }
  }
}

TEST_P(AttentionPlanTest, IsRefusedWhereItDropsWeights) {
  ExecutionPlan plan = plan_of({.dropout = 0.5});
  const std::vector<Variable> in(3, Variable(random({1, 1, 4, 8})));
  EXPECT_THAT(error_of<ValueError>([&] { plan(in); }),
              HasSubstr("got attention"));
  const auto test = using_config(&Config::train, false);
  EXPECT_THAT(plan(in)[0].data(),
              IsArray(attention(in[0], in[1], in[2]).data()));
}

}  // namespace
}  // namespace catena::functions
