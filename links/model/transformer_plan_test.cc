// Execution plans of transformers: one step for each attention.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "catena/array/core/error.h"
#include "catena/array/random/random.h"
#include "catena/autograd/config.h"
#include "catena/functions/plan/execution_plan.h"
#include "catena/links/attention/transformer_block.h"
#include "catena/links/model/gpt2.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::links {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class TransformerPlanTest : public ::catena::testing::DeviceTest {
 protected:
  // What the plan computes is what the model computes.
  template <class Model>
  void expect_same(functions::ExecutionPlan& plan, Model& model,
                   const Array& x) const {
    EXPECT_THAT(plan(x).data(), testing::IsClose(model(Variable(x)).data(),
                                                 {.rtol = 1e-4, .atol = 1e-5}));
  }
  // Attention is called once in each layer, and softmax not at all.
  void expect_attention(const functions::ExecutionPlan& plan,
                        int64_t layers) const {
    if (!device().is_native()) return;  // a graph has no list of steps
    const auto count = [&](std::string_view name) {
      return std::ranges::count_if(
          plan.steps(), [&](const functions::PlanStep& step) {
            return step.functions.find(name) != std::string::npos;
          });
    };
    EXPECT_EQ(count("attention"), layers);
    EXPECT_EQ(count("softmax") + count("matmul"), 0);
  }

 private:
  ConfigScope<bool> backprop_ = no_backprop_mode();
};
INSTANTIATE_TEST_SUITE_P(Devices, TransformerPlanTest,
                         ::catena::testing::every_device());

TEST_P(TransformerPlanTest, ABlock) {
  RmsTransformerBlock block(
      16, 4,
      {.attention = {.kv_heads = 2, .causal = true, .window = 5},
       .activation = FeedForward::kSwiglu});
  block.to_device(device());
  functions::ExecutionPlan plan([&](const Variable& x) { return block(x); });
  for (int i = 0; i < 2; ++i) {
    expect_same(plan, block,
                array::random::uniform(-1, 1, {2, 9, 16}, Dtype::kFloat32));
  }
  expect_attention(plan, 1);
}

TEST_P(TransformerPlanTest, Gpt2InTestModeAlone) {
  Gpt2 model(
      {.vocabulary = 11, .context = 8, .units = 12, .heads = 3, .layers = 2});
  model.to_device(device());
  functions::ExecutionPlan plan([&](const Variable& x) { return model(x); });
  const auto ids = [] {
    return array::random::randint(0, 11, {2, 6}).astype(Dtype::kInt32);
  };
  EXPECT_THAT(error_of<ValueError>([&] { plan(ids()); }),
              HasSubstr("got dropout"));
  const auto test = using_config(&Config::train, false);
  for (int i = 0; i < 2; ++i) expect_same(plan, model, ids());
  expect_attention(plan, 2);
}

}  // namespace
}  // namespace catena::links
