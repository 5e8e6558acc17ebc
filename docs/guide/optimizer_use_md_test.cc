// The code of optimizer_use.md: compiled, run, and compared with the page.

#include "catena/docs/guide/optimizer_use_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/array_matchers.h"

namespace {

using catena::testing::IsArray;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

class MLP : public Chain<MLP> {
 public:
  MLP() : l1(this, "l1", 32), l2(this, "l2", 1) {}
  Variable forward(const Variable& x) { return l2(F::tanh(l1(x))); }

  Child<L::Linear> l1, l2;
};

TEST(OptimizerUsePageTest, TrainsInBothWays) {
  xp::random::seed(0);
  // The product of two numbers, to be learned from 200 examples.
  const Array x = xp::random::uniform(-1, 1, {200, 2}, Dtype::kFloat32);
  const Array t = (x.T()[0] * x.T()[1]).reshape(-1, 1);

  MLP model;
  optimizers::SGD optimizer({.lr = 0.1});
  optimizer.setup(model);
  const auto loss_now = [&] {
    return F::mean_squared_error(model(x), t).item<float>();
  };
  const float start = loss_now();

  for (int i = 0; i < 100; ++i) {
    const Variable loss = F::mean_squared_error(model(x), t);
    model.cleargrads();
    loss.backward();
    optimizer.update();
  }
  const float middle = loss_now();
  EXPECT_LT(middle, start);
  EXPECT_EQ(optimizer.t(), 100);
  EXPECT_TRUE(model.l1->W.grad().defined());  // update() clears nothing

  const auto lossfun = [&](const Variable& x, const Variable& t) {
    return F::mean_squared_error(model(x), t);
  };
  for (int i = 0; i < 100; ++i) optimizer.update(lossfun, x, t);
  const float end = loss_now();
  EXPECT_LT(end, middle);
  EXPECT_EQ(optimizer.update(lossfun, x, t).item<float>(), end);

  ::testing::internal::CaptureStdout();
  for (const Parameter& p : model.params()) p.array().fill(3);
  optimizer.add_hook(optimizers::WeightDecay(1e-5));
  optimizer.add_hook(optimizers::GradientClipping(1.0));
  double norm = 0;
  optimizer.add_hook("norm", [&](Optimizer& optimizer) {
    norm = optimizer.compute_grads_norm();
  });
  optimizer.update(lossfun, x, t);
  std::cout << norm << '\n';  // at most 1
  ::testing::internal::GetCapturedStdout();
  EXPECT_NEAR(norm, 1, 1e-5);
  optimizer.remove_hook("norm");

  optimizer.set_hyperparameter("lr", 0.05);
  update_rule_of(model.l2->b).set_hyperparameter("lr", 0.2);  // b of l2 only
  const Array W1 = model.l1->W.array().copy();
  const Array W2 = model.l2->W.array().copy();
  const float b2 = model.l2->b.item<float>();
  optimizer.update(lossfun, x, t);
  EXPECT_THAT(model.l2->W.array(), Not(IsArray(W2)));
  EXPECT_NEAR(model.l2->b.item<float>(),
              b2 - 0.2f * model.l2->b.grad().item<float>(), 1e-6);

  const Array frozen = model.l1->W.array().copy();
  EXPECT_THAT(frozen, Not(IsArray(W1)));
  model.l1->freeze();  // l1 stays as it is
  for (int i = 0; i < 10; ++i) optimizer.update(lossfun, x, t);
  model.l1->unfreeze();
  EXPECT_THAT(model.l1->W.array(), IsArray(frozen));
  EXPECT_THAT(model.l2->W.array(), Not(IsArray(W2)));
  optimizer.update(lossfun, x, t);
  EXPECT_THAT(model.l1->W.array(), Not(IsArray(frozen)));
}

TEST(OptimizerUsePageTest, OtherOptimizersNeedNoOtherCode) {
  xp::random::seed(0);
  const Array x = xp::random::uniform(-1, 1, {200, 2}, Dtype::kFloat32);
  const Array t = (x.T()[0] * x.T()[1]).reshape(-1, 1);
  MLP other;
  optimizers::Adam adam({.alpha = 0.01});
  adam.setup(other);
  for (int i = 0; i < 500; ++i) {
    adam.update([&] { return F::mean_squared_error(other(x), t); });
  }
  EXPECT_LT(F::mean_squared_error(other(x), t).item<float>(), 0.001);
  EXPECT_THAT([&] { adam.hyperparameter("lr"); },
              ThrowsMessage<ValueError>(AllOf(
                  HasSubstr("lr"), HasSubstr("alpha"), HasSubstr("beta1"))));
}

TEST(OptimizerUsePageTest, SeveralBackwardPassesAreOneMinibatch) {
  xp::random::seed(0);
  const Array x = xp::random::uniform(-1, 1, {4, 2}, Dtype::kFloat32);
  L::Linear whole(2, 1);
  L::Linear parts = whole;
  whole.cleargrads();
  F::sum(whole(x)).backward();
  parts.cleargrads();
  F::sum(parts(x[{Slice(0, 2)}])).backward();
  F::sum(parts(x[{Slice(2, 4)}])).backward();
  EXPECT_THAT(parts.W.grad(), catena::testing::IsClose(whole.W.grad()));
}

TEST(OptimizerUsePageTest, TheTrapsAreReal) {
  const Array x = xp::ones({1, 2}, Dtype::kFloat32);
  MLP model;
  model(x);
  optimizers::MomentumSGD optimizer({.lr = 0.1});
  optimizer.setup(model);
  optimizer.add_hook(optimizers::WeightDecay(0.1));
  const Array before = model.l1->W.array().copy();
  optimizer.update([&] { return F::sum(F::square(model.l2->b)); });
  EXPECT_THAT(model.l1->W.array(), Not(IsArray(before)));

  MLP best = model;
  optimizer.update([&] { return F::sum(model(x)); });
  EXPECT_THAT(best.l2->W.array(), Not(IsArray(model.l2->W.array())));
  EXPECT_EQ(optimizer.t(), 2);
  optimizer.setup(model);
  EXPECT_EQ(optimizer.t(), 0);
  EXPECT_TRUE(update_rule_of(model.l2->b).state().empty());
}

TEST(OptimizerUsePageTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page(
      "docs/guide/optimizer_use.md", "docs/guide/optimizer_use_md_test.cc", 9);
}

}  // namespace
