#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/optimizers/ada_delta.h"
#include "catena/optimizers/ada_grad.h"
#include "catena/optimizers/adam.h"
#include "catena/optimizers/adamw.h"
#include "catena/optimizers/corrected_momentum_sgd.h"
#include "catena/optimizers/hooks.h"
#include "catena/optimizers/momentum_sgd.h"
#include "catena/optimizers/msvag.h"
#include "catena/optimizers/nesterov_ag.h"
#include "catena/optimizers/rmsprop.h"
#include "catena/optimizers/rmsprop_graves.h"
#include "catena/optimizers/sgd.h"
#include "catena/optimizers/smorms3.h"
#include "catena/optimizers/testing/golden_trajectory.h"
#include "catena/tests/support/golden.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::optimizers {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::expect_golden_trajectory;
using ::catena::testing::golden_cases;
using ::catena::testing::GoldenCase;
using ::catena::testing::Tolerance;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

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

// Every case of a file, by an optimizer that `make` builds for it.
template <class Make>
void expect_all_follow(const std::string& name, Device device, Make make,
                       std::optional<Tolerance> tolerance = std::nullopt) {
  for (const GoldenCase& golden : golden_cases("optimizers/" + name)) {
    SCOPED_TRACE(name + " " + golden.name());
    auto optimizer = make(golden);
    expect_golden_trajectory(optimizer, golden, device, tolerance);
  }
}

// tests/golden/optimizers/make_adamw.py
TEST_P(OptimizersTest, AdamWFollowsNumpy) {
  expect_all_follow("PyTorchAdamW", device(), [](const GoldenCase& golden) {
    return AdamW({.lr = golden.attr_or("lr", 0.001),
                  .beta1 = golden.attr_or("beta1", 0.9),
                  .beta2 = golden.attr_or("beta2", 0.999),
                  .eps = golden.attr_or("eps", 1e-8),
                  .weight_decay = golden.attr_or("weight_decay", 0.01)});
  });
}

TEST_P(OptimizersTest, AdamFollowsChainer) {
  const auto make = [](bool amsgrad, bool adabound) {
    return [=](const GoldenCase& golden) {
      return Adam(
          {.alpha = golden.attr_or("alpha", 0.001),
           .beta1 = golden.attr_or("beta1", 0.9),
           .beta2 = golden.attr_or("beta2", 0.999),
           .eps = golden.attr_or("eps", 1e-8),
           .eta = golden.attr_or("eta", 1.0),
           .weight_decay_rate = golden.attr_or("weight_decay_rate", 0.0),
           .amsgrad = amsgrad || golden.attr_or("amsgrad", false),
           .adabound = adabound || golden.attr_or("adabound", false),
           .final_lr = golden.attr_or("final_lr", 0.1),
           .gamma = golden.attr_or("gamma", 1e-3)});
    };
  };
  expect_all_follow("Adam", device(), make(false, false));
  expect_all_follow("AdamW", device(), make(false, false));
  expect_all_follow("AMSGrad", device(), make(true, false));
  expect_all_follow("AdaBound", device(), make(false, true));
  expect_all_follow("AMSBound", device(), make(true, true));
}

TEST_P(OptimizersTest, CorrectedMomentumSGDFollowsChainer) {
  expect_all_follow("CorrectedMomentumSGD", device(),
                    [](const GoldenCase& golden) {
                      return CorrectedMomentumSGD(
                          {.lr = golden.attr_or("lr", 0.01),
                           .momentum = golden.attr_or("momentum", 0.9)});
                    });
}

TEST_P(OptimizersTest, NesterovAGFollowsChainer) {
  expect_all_follow("NesterovAG", device(), [](const GoldenCase& golden) {
    return NesterovAG({.lr = golden.attr_or("lr", 0.01),
                       .momentum = golden.attr_or("momentum", 0.9)});
  });
}

TEST_P(OptimizersTest, AdaGradFollowsChainer) {
  expect_all_follow("AdaGrad", device(), [](const GoldenCase& golden) {
    return AdaGrad({.lr = golden.attr_or("lr", 0.001),
                    .eps = golden.attr_or("eps", 1e-8)});
  });
}

TEST_P(OptimizersTest, AdaDeltaFollowsChainer) {
  expect_all_follow("AdaDelta", device(), [](const GoldenCase& golden) {
    return AdaDelta({.rho = golden.attr_or("rho", 0.95),
                     .eps = golden.attr_or("eps", 1e-6)});
  });
}

TEST_P(OptimizersTest, RMSpropFollowsChainer) {
  expect_all_follow("RMSprop", device(), [](const GoldenCase& golden) {
    return RMSprop(
        {.lr = golden.attr_or("lr", 0.01),
         .alpha = golden.attr_or("alpha", 0.99),
         .eps = golden.attr_or("eps", 1e-8),
         .eps_inside_sqrt = golden.attr_or("eps_inside_sqrt", false)});
  });
}

TEST_P(OptimizersTest, RMSpropGravesFollowsChainer) {
  expect_all_follow("RMSpropGraves", device(), [](const GoldenCase& golden) {
    return RMSpropGraves({.lr = golden.attr_or("lr", 1e-4),
                          .alpha = golden.attr_or("alpha", 0.95),
                          .momentum = golden.attr_or("momentum", 0.9),
                          .eps = golden.attr_or("eps", 1e-4)});
  });
}

TEST_P(OptimizersTest, SMORMS3FollowsChainer) {
  expect_all_follow("SMORMS3", device(), [](const GoldenCase& golden) {
    return SMORMS3({.lr = golden.attr_or("lr", 0.001),
                    .eps = golden.attr_or("eps", 1e-16)});
  });
}

TEST_P(OptimizersTest, MSVAGFollowsChainer) {
  const auto make = [](const GoldenCase& golden) {
    return MSVAG(
        {.lr = golden.attr_or("lr", 0.1),
         .beta = golden.attr_or("beta", 0.9),
         .eta = golden.attr_or("eta", 1.0),
         .weight_decay_rate = golden.attr_or("weight_decay_rate", 0.0)});
  };
  // In its first step Chainer divides one rounding error by another.
  expect_all_follow("MSVAG", device(), make,
                    Tolerance{.rtol = 3e-4, .atol = 3e-5});
}

std::unique_ptr<Optimizer> optimizer_of(const GoldenCase& golden) {
  const double lr = golden.attr<double>("lr");
  if (golden.attr<std::string>("optimizer") == "SGD") {
    return std::make_unique<SGD>(SGDOptions{.lr = lr});
  }
  return std::make_unique<MomentumSGD>(MomentumSGDOptions{
      .lr = lr, .momentum = golden.attr<double>("momentum")});
}

// Every case of a hook's file.
template <class Make>
void expect_hook_follows(const std::string& name, Device device, Make make) {
  for (const GoldenCase& golden : golden_cases("optimizers/hook_" + name)) {
    SCOPED_TRACE(name + " " + golden.name());
    const auto number = [&](const std::string& key) {
      return golden.array("hook/" + key).item<double>();
    };
    const auto optimizer = optimizer_of(golden);
    optimizer->add_hook(make(number));
    expect_golden_trajectory(*optimizer, golden, device);
  }
}

TEST_P(OptimizersTest, HooksFollowChainer) {
  expect_hook_follows("WeightDecay", device(),
                      [](auto number) { return WeightDecay(number("rate")); });
  expect_hook_follows("Lasso", device(),
                      [](auto number) { return Lasso(number("rate")); });
  expect_hook_follows("GradientClipping", device(), [](auto number) {
    return GradientClipping(number("threshold"));
  });
  expect_hook_follows("GradientHardClipping", device(), [](auto number) {
    return GradientHardClipping(number("lower_bound"), number("upper_bound"));
  });
  expect_hook_follows("GradientLARS", device(), [](auto number) {
    return GradientLARS({.threshold = number("threshold"),
                         .weight_decay = number("weight_decay"),
                         .eps = number("eps")});
  });
}

INSTANTIATE_TEST_SUITE_P(Devices, OptimizersTest,
                         ::catena::testing::every_device());

// A link of two parameters; one waits for its shape.
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

TEST(OptimizerTest, NoiseHasTheVarianceOfTheStep) {
  array::random::seed(0);
  TwoParams link;
  link.late.initialize({200, 100});
  SGD optimizer({.lr = 1.0});
  optimizer.setup(link);
  const GradientNoise noise(0.25);
  EXPECT_EQ(noise.eta(), 0.25);
  optimizer.add_hook(noise);
  for (const int t : {0, 1, 2}) {
    link.a.set_grad(array::zeros({3}, Dtype::kFloat32));
    link.late.set_grad(array::zeros({200, 100}, Dtype::kFloat32));
    optimizer.update();
    const Array squares = array::square(link.late.grad());
    EXPECT_NEAR(array::mean(squares).item<double>() * std::pow(1 + t, 0.55),
                0.25, 0.0125);
    EXPECT_NEAR(array::mean(link.late.grad()).item<double>(), 0, 0.02);
  }
  optimizer.remove_hook("GradientNoise");
  optimizer.add_hook(GradientNoise(
      1, [](const Array& grad, const GradientNoise& hook, int64_t) {
        return array::full_like(grad, hook.eta());
      }));
  link.a.set_grad(array::zeros({3}, Dtype::kFloat32));
  optimizer.update();
  EXPECT_EQ(link.a.grad()[0].item<float>(), 1);
}

TEST(OptimizerTest, NewHooksRefuseBadNumbers) {
  EXPECT_THROW(Lasso(std::nan("")), ValueError);
  EXPECT_EQ(Lasso(0.5).rate(), 0.5);
  EXPECT_EQ(WeightDecay(0.5).rate(), 0.5);
  EXPECT_EQ(GradientClipping(0.5).threshold(), 0.5);
  EXPECT_THAT(
      error_of<ValueError>([] { GradientHardClipping(1, -1); }),
      HasSubstr("GradientHardClipping: expected lower <= upper, got 1 and "
                "-1"));
  EXPECT_THROW(GradientNoise(-1), ValueError);
  EXPECT_THROW(GradientLARS({.eps = -1}), ValueError);
}

TEST(OptimizerTest, DisabledRulesRest) {
  TwoParams link;
  SGD optimizer({.lr = 1.0});
  EXPECT_THAT(error_of<ValueError>([&] { link.disable_update(); }),
              "disable_update: expected a call after the optimizer's "
              "setup(), which gives parameters their update rules");
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

TEST(OptimizerTest, FrozenParametersHaveNeitherGradientNorState) {
  TwoParams link;
  link.late.initialize({2});
  link.a.freeze();
  AdamW optimizer({.lr = 1.0});
  optimizer.setup(link);
  optimizer.add_hook("decay", WeightDecay(0.5));
  optimizer.prepare();
  EXPECT_TRUE(update_rule_of(link.a).state().empty());
  EXPECT_FALSE(update_rule_of(link.late).state().empty());
  const Array before = link.a.data().copy();
  optimizer.update();
  EXPECT_FALSE(link.a.grad().defined());
  EXPECT_TRUE(link.late.grad().defined());
  // Even one that somebody sets.
  link.a.set_grad(array::full_like(link.a.data(), NAN));
  optimizer.update();
  EXPECT_EQ(optimizer.compute_grads_norm(),
            std::sqrt(array::sum_of_squares(link.late.grad()).item<double>()));
  EXPECT_THAT(link.a.data(), ::catena::testing::IsArray(before));
  EXPECT_TRUE(update_rule_of(link.a).state().empty());
  optimizer.accumulate_grads(
      std::vector<Array>{array::ones_like(link.a.data()), Array()});
  link.a.cleargrad();
  link.a.unfreeze();
  link.a.set_grad(array::ones_like(link.a.data()));
  optimizer.update();
  EXPECT_FALSE(update_rule_of(link.a).state().empty());
  EXPECT_THAT(link.a.data(),
              ::testing::Not(::catena::testing::IsArray(before)));
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
  EXPECT_THAT(error_of<ValueError>(
                  [&] { optimizer.add_hook("first", [](Optimizer&) {}); }),
              HasSubstr("'first' already"));
  optimizer.remove_hook("first");
  EXPECT_THAT(error_of<ValueError>([&] { optimizer.remove_hook("first"); }),
              HasSubstr("got 'first'"));
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
                          "weight_decay_rate", "final_lr", "gamma"));
  adam.set_hyperparameter("alpha", 0.5);
  EXPECT_EQ(adam.options().alpha, 0.5);
  EXPECT_THAT(error_of<ValueError>([&] { adam.hyperparameter("lr"); }),
              HasSubstr("expected the name of a hyperparameter ('alpha', "));
  EXPECT_THAT(
      error_of<ValueError>([&] { adam.set_hyperparameter("beta1", 1.0); }),
      HasSubstr("Adam: expected beta1 in [0, 1), got 1"));
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
  EXPECT_THAT(error_of<ValueError>([] { SGD({.lr = std::nan("")}); }),
              HasSubstr("SGD: expected lr to be finite, got nan"));
  EXPECT_THAT(error_of<ValueError>([] { MomentumSGD({.momentum = -0.1}); }),
              HasSubstr("momentum in [0, 1)"));
  EXPECT_THAT(error_of<ValueError>([] { Adam({.eps = -1}); }),
              HasSubstr("eps"));
  EXPECT_THAT(error_of<ValueError>([] { GradientClipping(0); }),
              HasSubstr("above 0, got 0"));
  EXPECT_THAT(error_of<ValueError>(
                  [] { WeightDecay{std::numeric_limits<double>::infinity()}; }),
              HasSubstr("rate"));
  SGD sgd;
  EXPECT_THAT(error_of<ValueError>([&] { sgd.update(); }),
              HasSubstr("setup(link)"));
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
  EXPECT_THAT(error_of<ValueError>([&] {
                rule.add_hook("count", [](UpdateRule&, const Parameter&) {});
              }),
              HasSubstr("'count' already"));
  link.a.set_grad(ones({3}));
  optimizer.update();
  rule.remove_hook("count");
  optimizer.update();
  EXPECT_EQ(calls, 1);
  EXPECT_THAT(error_of<ValueError>([&] { rule.remove_hook("count"); }),
              HasSubstr("got 'count'"));
}

TEST(OptimizerTest, TheTargetIsTheLossFunction) {
  TwoParams link;
  SGD optimizer;
  optimizer.setup(link);
  const Variable x = as_variable(ones({3}));
  const std::vector<Variable> inputs = {x, x};
  EXPECT_EQ(optimizer.loss_function()(std::vector{x}).data()[0].item<float>(),
            2);
  EXPECT_THAT(error_of<ValueError>([&] { optimizer.loss_function()(inputs); }),
              HasSubstr("with 2 variables"));
}

}  // namespace
}  // namespace catena::optimizers
