#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "catena/array/creation.h"
#include "catena/array/error.h"
#include "catena/array/ufunc.h"
#include "catena/optimizers/adam.h"
#include "catena/optimizers/golden_trajectory.h"
#include "catena/optimizers/hooks.h"
#include "catena/optimizers/momentum_sgd.h"
#include "catena/optimizers/sgd.h"
#include "catena/tests/support/array_matchers.h"
#include "catena/tests/support/device_test.h"
#include "catena/tests/support/golden.h"

namespace catena::optimizers {
namespace {

using ::catena::testing::expect_golden_trajectory;
using ::catena::testing::golden_cases;
using ::catena::testing::GoldenCase;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class OptimizersTest : public ::catena::testing::DeviceTest {};

// chainer 7.8.1
TEST_P(OptimizersTest, SGDFollowsChainer) {
  for (const GoldenCase& golden : golden_cases("optimizers/SGD")) {
    SCOPED_TRACE(golden.name());
    SGD sgd({.lr = golden.attr_or("lr", 0.01)});
    expect_golden_trajectory(sgd, golden, device());
  }
}

TEST_P(OptimizersTest, MomentumSGDFollowsChainer) {
  for (const GoldenCase& golden : golden_cases("optimizers/MomentumSGD")) {
    SCOPED_TRACE(golden.name());
    MomentumSGD momentum({.lr = golden.attr_or("lr", 0.01),
                          .momentum = golden.attr_or("momentum", 0.9)});
    expect_golden_trajectory(momentum, golden, device());
  }
}

TEST_P(OptimizersTest, AdamFollowsChainer) {
  int cases = 0;
  for (const std::string file : {"optimizers/Adam", "optimizers/AdamW"}) {
    for (const GoldenCase& golden : golden_cases(file)) {
      if (golden.attr_or("amsgrad", false) ||
          golden.attr_or("adabound", false)) {
        continue;  // variants with a state of their own
      }
      SCOPED_TRACE(file + " " + golden.name());
      Adam adam(
          {.alpha = golden.attr_or("alpha", 0.001),
           .beta1 = golden.attr_or("beta1", 0.9),
           .beta2 = golden.attr_or("beta2", 0.999),
           .eps = golden.attr_or("eps", 1e-8),
           .eta = golden.attr_or("eta", 1.0),
           .weight_decay_rate = golden.attr_or("weight_decay_rate", 0.0)});
      expect_golden_trajectory(adam, golden, device());
      ++cases;
    }
  }
  EXPECT_EQ(cases, 6);
}

std::unique_ptr<Optimizer> optimizer_of(const GoldenCase& golden) {
  const double lr = golden.attr<double>("lr");
  if (golden.attr<std::string>("optimizer") == "SGD") {
    return std::make_unique<SGD>(SGDOptions{.lr = lr});
  }
  return std::make_unique<MomentumSGD>(MomentumSGDOptions{
      .lr = lr, .momentum = golden.attr<double>("momentum")});
}

TEST_P(OptimizersTest, HooksFollowChainer) {
  for (const GoldenCase& golden : golden_cases("optimizers/hook_WeightDecay")) {
    SCOPED_TRACE(golden.name());
    const auto optimizer = optimizer_of(golden);
    optimizer->add_hook(WeightDecay(golden.array("hook/rate").item<double>()));
    expect_golden_trajectory(*optimizer, golden, device());
  }
  for (const GoldenCase& golden :
       golden_cases("optimizers/hook_GradientClipping")) {
    SCOPED_TRACE(golden.name());
    const auto optimizer = optimizer_of(golden);
    optimizer->add_hook(
        GradientClipping(golden.array("hook/threshold").item<double>()));
    expect_golden_trajectory(*optimizer, golden, device());
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, OptimizersTest,
                         ::catena::testing::every_device());

// A link of two parameters, one of which waits for its shape.
class TwoParams : public Link {
 public:
  TwoParams() : a(this, "a", 1.0, Shape{3}), late(this, "late", 2.0) {}
  Variable forward(const Variable& x) const {
    return as_variable(a.data() + x.data());
  }
  Param a;
  Param late;
};

Array ones(const Shape& shape) { return array::ones(shape, Dtype::kFloat32); }

TEST(OptimizerTest, LeavesUninitializedParametersAndTreatsNoGradientAsZero) {
  TwoParams link;
  MomentumSGD optimizer({.lr = 1.0, .momentum = 0.5});
  optimizer.setup(link);
  link.a.set_grad(ones({3}));
  optimizer.update();
  EXPECT_EQ(link.a.data()[0].item<float>(), 0);
  EXPECT_FALSE(link.late.is_initialized());
  // Without a gradient, momentum goes on.
  link.cleargrads();
  optimizer.update();
  EXPECT_EQ(link.a.data()[0].item<float>(), -0.5f);
  link.late.initialize({2});
  link.late.set_grad(ones({2}));
  optimizer.update();
  EXPECT_EQ(link.late.data()[1].item<float>(), 1);
}

TEST(OptimizerTest, DisabledRulesRest) {
  TwoParams link;
  SGD optimizer({.lr = 1.0});
  optimizer.setup(link);
  link.disable_update();
  EXPECT_FALSE(link.update_enabled());
  link.a.set_grad(ones({3}));
  optimizer.update();
  EXPECT_EQ(link.a.data()[0].item<float>(), 1);
  link.enable_update();
  optimizer.update();
  EXPECT_EQ(link.a.data()[0].item<float>(), 0);
  EXPECT_EQ(optimizer.t(), 2);
}

TEST(OptimizerTest, HooksRunInOrderBeforeTheStep) {
  TwoParams link;
  SGD optimizer({.lr = 1.0});
  optimizer.setup(link);
  std::vector<std::string> calls;
  optimizer.add_hook("first", [&](Optimizer&) { calls.push_back("first"); });
  optimizer.add_hook("second", [&](Optimizer& o) {
    calls.push_back("second");
    EXPECT_EQ(link.a.data()[0].item<float>(), 1);
    EXPECT_EQ(&o, &optimizer);
  });
  link.a.set_grad(ones({3}));
  optimizer.update();
  EXPECT_THAT(calls, ElementsAre("first", "second"));
  EXPECT_THAT([&] { optimizer.add_hook("first", [](Optimizer&) {}); },
              ThrowsMessage<ValueError>(HasSubstr("'first' already")));
  optimizer.remove_hook("first");
  EXPECT_THAT([&] { optimizer.remove_hook("first"); },
              ThrowsMessage<ValueError>(HasSubstr("no hook named 'first'")));
}

TEST(OptimizerTest, HooksNeverChangeAGradientThatSomebodyElseHolds) {
  TwoParams link;
  SGD optimizer({.lr = 1.0});
  optimizer.setup(link);
  optimizer.add_hook(WeightDecay(1.0));
  const Array shared = ones({3});
  link.a.set_grad(shared);
  optimizer.update();
  EXPECT_EQ(shared[0].item<float>(), 1);
  EXPECT_EQ(link.a.data()[0].item<float>(), -1);
}

TEST(OptimizerTest, HyperparametersAreFoundByName) {
  Adam adam;
  EXPECT_THAT(adam.hyperparameter_names(),
              ElementsAre("alpha", "beta1", "beta2", "eps", "eta",
                          "weight_decay_rate"));
  adam.set_hyperparameter("alpha", 0.5);
  EXPECT_EQ(adam.options().alpha, 0.5);
  EXPECT_THAT([&] { adam.hyperparameter("lr"); },
              ThrowsMessage<ValueError>(
                  HasSubstr("no hyperparameter 'lr'; there are alpha")));
  EXPECT_THAT([&] { adam.set_hyperparameter("beta1", 1.0); },
              ThrowsMessage<ValueError>(
                  HasSubstr("Adam: expected beta1 in [0, 1), got 1")));
  EXPECT_EQ(adam.hyperparameter("beta1"), 0.9);
}

TEST(OptimizerTest, ARuleCanHaveHyperparametersOfItsOwn) {
  TwoParams link;
  SGD optimizer({.lr = 1.0});
  optimizer.setup(link);
  dynamic_cast<SGDRule&>(*link.a.update_rule()).set_hyper({.lr = 0.25});
  link.a.set_grad(ones({3}));
  optimizer.update();
  EXPECT_EQ(link.a.data()[0].item<float>(), 0.75f);
}

TEST(OptimizerTest, RefusesBadHyperparametersAndMissingSetup) {
  EXPECT_THAT([] { SGD({.lr = std::nan("")}); },
              ThrowsMessage<ValueError>(
                  HasSubstr("SGD: expected lr to be finite, got nan")));
  EXPECT_THAT([] { MomentumSGD({.momentum = -0.1}); },
              ThrowsMessage<ValueError>(HasSubstr("momentum in [0, 1)")));
  EXPECT_THAT([] { Adam({.eps = -1}); },
              ThrowsMessage<ValueError>(HasSubstr("eps")));
  EXPECT_THAT([] { GradientClipping(0); },
              ThrowsMessage<ValueError>(HasSubstr("above 0, got 0")));
  EXPECT_THAT([] { WeightDecay(std::numeric_limits<double>::infinity()); },
              ThrowsMessage<ValueError>(HasSubstr("rate")));
  SGD sgd;
  EXPECT_THAT([&] { sgd.update(); },
              ThrowsMessage<ValueError>(HasSubstr("setup(link)")));
}

TEST(OptimizerTest, EpochsAreCounted) {
  SGD sgd;
  EXPECT_EQ(sgd.epoch(), 0);
  sgd.new_epoch();
  EXPECT_EQ(sgd.epoch(), 1);
  EXPECT_EQ(sgd.t(), 0);
}

TEST(OptimizerTest, RulesHaveHooksOfTheirOwn) {
  TwoParams link;
  SGD optimizer({.lr = 1.0});
  optimizer.setup(link);
  auto& rule = dynamic_cast<UpdateRule&>(*link.a.update_rule());
  int calls = 0;
  rule.add_hook("count", [&](UpdateRule&, const Parameter& param) {
    EXPECT_TRUE(param.is_same(link.a));
    ++calls;
  });
  EXPECT_THAT(
      [&] { rule.add_hook("count", [](UpdateRule&, const Parameter&) {}); },
      ThrowsMessage<ValueError>(HasSubstr("'count' already")));
  link.a.set_grad(ones({3}));
  optimizer.update();
  rule.remove_hook("count");
  optimizer.update();
  EXPECT_EQ(calls, 1);
  EXPECT_THAT([&] { rule.remove_hook("count"); },
              ThrowsMessage<ValueError>(HasSubstr("no hook named 'count'")));
}

TEST(OptimizerTest, TheTargetIsTheLossFunction) {
  TwoParams link;
  SGD optimizer;
  optimizer.setup(link);
  const Variable x = as_variable(ones({3}));
  const Variable inputs[] = {x, x};
  EXPECT_EQ(optimizer.loss_function()({inputs, 1}).data()[0].item<float>(), 2);
  EXPECT_THAT(
      [&] {
        optimizer.loss_function()({inputs, 2});
      },
      ThrowsMessage<ValueError>(HasSubstr("with 2 variables")));
}

}  // namespace
}  // namespace catena::optimizers
