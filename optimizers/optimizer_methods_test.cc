// What loops and extensions ask of an optimizer between its steps.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sum.h"
#include "catena/links/chain.h"
#include "catena/links/link.h"
#include "catena/optimizers/ada_delta.h"
#include "catena/optimizers/ada_grad.h"
#include "catena/optimizers/adam.h"
#include "catena/optimizers/corrected_momentum_sgd.h"
#include "catena/optimizers/hooks.h"
#include "catena/optimizers/momentum_sgd.h"
#include "catena/optimizers/msvag.h"
#include "catena/optimizers/nesterov_ag.h"
#include "catena/optimizers/rmsprop.h"
#include "catena/optimizers/rmsprop_graves.h"
#include "catena/optimizers/sgd.h"
#include "catena/optimizers/smorms3.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::optimizers {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::IsArray;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Array full(const Shape& shape, double value, Dtype dtype = Dtype::kFloat32) {
  return array::full(shape, value).astype(dtype).to_device(current_device());
}

// Two parameters of values 1 and 2, and one that waits for its shape.
class Three : public Link {
 public:
  explicit Three(Dtype dtype = Dtype::kFloat32)
      : a(this, "a", constant(1, dtype), Shape{2}),
        b(this, "b", constant(2, dtype), Shape{3}),
        late(this, "late", constant(3, dtype)) {}
  Variable forward(const Variable& x) const {
    return functions::sum(a * x) + functions::sum(b) * 0.5;
  }
  static Initializer constant(double value, Dtype dtype) {
    return Initializer([=](const Array& out) { out.fill(value); }, dtype);
  }
  static double first(const Array& a) {
    return a.to_device(native_device())
        .astype(Dtype::kFloat64)
        .ravel()[0]
        .item<double>();
  }
  void set_grads(double of_a, double of_b) const {
    a.set_grad(full({2}, of_a, a.dtype()));
    b.set_grad(full({3}, of_b, b.dtype()));
  }
  Param a, b, late;
};

// Its first link is a member that nothing knows of.
class Forgetful : public Chain<Forgetful> {
 public:
  Forgetful() : second(this, "second") {}
  Three first;
  Child<Three> second;
};

class Outer : public Chain<Outer> {
 public:
  Outer() : inner(this, "inner") {}
  Child<Forgetful> inner;
};

class Empty : public Chain<Empty> {};

class OptimizerMethodsTest : public ::catena::testing::DeviceTest {};

TEST_P(OptimizerMethodsTest, SetupRejectsMembersThatAreNoChildren) {
  const auto expect_rejected = [](auto&& link) {
    SGD sgd;
    EXPECT_THAT(
        error_of<ValueError>([&] { sgd.setup(link); }),
        ::testing::ContainsRegex(
            "setup: .*Forgetful has a member of type .*Three that is not "
            "registered as a child; declare it as Child<"));
    EXPECT_THROW(sgd.target(), ValueError);
  };
  Forgetful link;
  expect_rejected(link);
  Outer outer;
  expect_rejected(outer);
  Outer copy = outer;
  expect_rejected(copy);
}

TEST_P(OptimizerMethodsTest, SetupTakesLinksBesideTheirOwners) {
  Three beside[3];
  SGD sgd;
  sgd.setup(beside[1]);
  sgd.setup(*std::make_unique<Three>());
}

TEST_P(OptimizerMethodsTest, SetupOfATemporaryOwnsIt) {
  Three link;
  auto sgd = setup(SGD({.lr = 0.5}), link);
  static_assert(std::is_same_v<decltype(sgd), SGD>);
  EXPECT_EQ(&sgd.target(), &link);
  EXPECT_EQ(sgd.options().lr, 0.5);
}

TEST_P(OptimizerMethodsTest, ATargetThatIsNoLongerThereIsAnError) {
  const auto expect_error = [](SGD& sgd, const std::string& what) {
    EXPECT_THAT(
        error_of<ValueError>([&] { sgd.update(); }),
        HasSubstr("Optimizer: expected the target of setup(), got one that "
                  "was " +
                  what + " since; call setup() once the model is where it "));
    EXPECT_THROW(sgd.loss_function(), ValueError);
    EXPECT_THROW(sgd.update([] { return Variable(); }), ValueError);
  };
  SGD sgd;
  std::vector<Three> models(1);
  sgd.setup(models[0]);
  models.resize(2);
  expect_error(sgd, "destroyed");
  sgd.setup(models[0]);
  const Three moved = std::move(models[0]);
  expect_error(sgd, "moved");
  sgd.setup(models[1]);
  models[1] = Three();
  expect_error(sgd, "assigned to");
  sgd.setup(models[1]);
  const Three copy = models[1];
  SGD other = std::move(sgd);
  EXPECT_EQ(&other.target(), &models[1]);
}

TEST_P(OptimizerMethodsTest, SetupNeedsParameters) {
  Empty link;
  SGD sgd;
  EXPECT_THAT(error_of<ValueError>([&] { sgd.setup(link); }),
              HasSubstr("expected a link with parameters"));
}

TEST_P(OptimizerMethodsTest, GradientsHaveANormThatCanBeClipped) {
  Three link;
  SGD sgd;
  sgd.setup(link);
  EXPECT_EQ(sgd.compute_grads_norm(), 0);
  link.set_grads(3, -4);
  EXPECT_NEAR(sgd.compute_grads_norm(), std::sqrt(2 * 9 + 3 * 16), 1e-5);
  sgd.clip_grads(100);
  EXPECT_EQ(Three::first(link.a.grad()), 3);
  sgd.clip_grads(1);
  EXPECT_NEAR(sgd.compute_grads_norm(), 1, 1e-6);
  EXPECT_NEAR(Three::first(link.a.grad()), 3 / std::sqrt(66), 1e-6);
  EXPECT_THAT(error_of<ValueError>([&] { sgd.clip_grads(0); }),
              HasSubstr("clip_grads: expected max_norm to be finite and "
                        "above 0, got 0"));
}

TEST_P(OptimizerMethodsTest, ANormThatIsNotANumberClipsNothing) {
  Three link;
  SGD sgd;
  sgd.setup(link);
  link.set_grads(3, std::nan(""));
  sgd.clip_grads(1);
  EXPECT_EQ(Three::first(link.a.grad()), 3);
  link.set_grads(0, 0);
  sgd.clip_grads(1);
  EXPECT_EQ(Three::first(link.a.grad()), 0);
}

TEST_P(OptimizerMethodsTest, NormsOfFloat16DoNotOverflow) {
  Three link(Dtype::kFloat16);
  SGD sgd;
  sgd.setup(link);
  link.set_grads(40000, 0);
  EXPECT_NEAR(sgd.compute_grads_norm(), 40000 * std::sqrt(2), 50);
  sgd.clip_grads(40000);
  EXPECT_NEAR(Three::first(link.a.grad()), 40000 / std::sqrt(2), 50);
}

TEST_P(OptimizerMethodsTest, WeightDecayAddsToGradients) {
  Three link;
  SGD sgd;
  sgd.setup(link);
  link.set_grads(1, 1);
  sgd.weight_decay(0.5);
  EXPECT_EQ(Three::first(link.a.grad()), 1.5);
  EXPECT_EQ(Three::first(link.b.grad()), 2);
  EXPECT_THAT(error_of<ValueError>([&] { sgd.weight_decay(std::nan("")); }),
              HasSubstr("weight_decay: expected rate"));
}

// Between steps, too, where copies in float32 have no gradients.
TEST_P(OptimizerMethodsTest, GradientsOfCopiedParametersAreTheParameters) {
  Three link(Dtype::kFloat16);
  SGD sgd({.lr = 0.25});
  sgd.use_fp32_update();
  sgd.setup(link);
  for (int i = 0; i < 2; ++i) {
    link.set_grads(1, 1);
    sgd.weight_decay(1);
    sgd.update();
  }
  // 1 - (1 + 1) / 4 = 0.5; 0.5 - (1 + 0.5) / 4 = 0.125
  EXPECT_EQ(Three::first(link.a.data()), 0.125);
}

TEST_P(OptimizerMethodsTest, GradientsFromElsewhereAreAdded) {
  Three link;
  SGD sgd;
  sgd.setup(link);
  link.a.set_grad(full({2}, 1));
  const Array of_a = full({2}, 10).to_device(native_device());
  const Array of_b = full({3}, 20).to_device(native_device());
  std::vector<Array> grads = {of_a, of_b, Array()};
  sgd.accumulate_grads(grads);
  EXPECT_EQ(Three::first(link.a.grad()), 11);
  EXPECT_EQ(Three::first(link.b.grad()), 20);
  sgd.accumulate_grads(grads);
  EXPECT_EQ(Three::first(link.b.grad()), 40);
  EXPECT_EQ(of_b[0].item<float>(), 20);  // whose memory is not the gradient's
  EXPECT_THAT(error_of<ValueError>([&] {
                sgd.accumulate_grads({grads.data(), 2});
              }),
              HasSubstr("expected 3 gradients"));
  grads[1] = of_a;
  EXPECT_THAT(error_of<ShapeError>([&] { sgd.accumulate_grads(grads); }),
              HasSubstr("gradient 1: expected shape (3,), got shape (2,)"));
  EXPECT_EQ(Three::first(link.a.grad()), 21);
  grads[1] = of_b;
  grads[2] = of_a;
  EXPECT_THAT(error_of<ShapeError>([&] { sgd.accumulate_grads(grads); }),
              HasSubstr("without a shape"));
}

TEST_P(OptimizerMethodsTest, GradientsAreClearedOrZeroedBeforeALoss) {
  Three link;
  SGD sgd({.lr = 0});
  sgd.setup(link);
  link.set_grads(5, 5);
  sgd.zero_grads();
  EXPECT_EQ(Three::first(link.a.grad()), 0);
  EXPECT_EQ(Three::first(link.b.grad()), 0);
  const auto loss = [&] {
    // Gradients are as they were when the loss is computed.
    EXPECT_TRUE(link.a.grad().defined());
    return functions::sum(link.a * 2);
  };
  for (const bool use_cleargrads : {true, false}) {
    sgd.use_cleargrads(use_cleargrads);
    link.set_grads(5, 5);
    sgd.update(loss);
    EXPECT_EQ(Three::first(link.a.grad()), 2);
    EXPECT_EQ(Three::first(link.b.grad()), 0);
  }
}

TEST_P(OptimizerMethodsTest, PrepareMakesStates) {
  Three link;
  MomentumSGD optimizer;
  optimizer.setup(link);
  EXPECT_TRUE(update_rule_of(link.a).state().empty());
  optimizer.prepare();
  EXPECT_THAT(update_rule_of(link.a).state().at("v"), IsArray(full({2}, 0)));
  EXPECT_TRUE(update_rule_of(link.late).state().empty());
  EXPECT_EQ(update_rule_of(link.a).t(), 0);
}

TEST_P(OptimizerMethodsTest, PrepareTakesInWhatWasAddedAfterSetup) {
  ChainList list(Three{});
  SGD sgd({.lr = 1});
  sgd.setup(list);
  list.append(Three());
  const Three& added = list.at<Three>(1);
  EXPECT_THROW(update_rule_of(added.a), ValueError);
  sgd.prepare();
  added.set_grads(-1, 0);
  sgd.update();
  EXPECT_EQ(Three::first(added.a.data()), 2);
}

TEST_P(OptimizerMethodsTest, HooksRunBeforeOrAfterTheStep) {
  Three link;
  SGD sgd({.lr = 1});
  sgd.setup(link);
  std::vector<std::string> calls;
  const auto log = [&](const std::string& name) {
    calls.push_back(
        name + " " +
        std::to_string(static_cast<int>(Three::first(link.a.data()))));
  };
  sgd.add_hook(
      "post", [&](Optimizer&) { log("post"); }, HookTiming::kPost);
  sgd.add_hook("pre", [&](Optimizer&) { log("pre"); });
  UpdateRule& rule = update_rule_of(link.a);
  rule.add_hook(
      "post",
      [&](UpdateRule& r, const Parameter&) {
        log("rule post");
        EXPECT_EQ(r.t(), 1);
      },
      HookTiming::kPost);
  rule.add_hook("pre", [&](UpdateRule& r, const Parameter&) {
    log("rule pre");
    EXPECT_EQ(r.t(), 1);
  });
  link.set_grads(-1, 0);
  sgd.update();
  EXPECT_THAT(calls,
              ElementsAre("pre 1", "rule pre 1", "rule post 2", "post 2"));
  calls.clear();
  sgd.call_hooks(HookTiming::kPost);
  EXPECT_THAT(calls, ElementsAre("post 2"));
  sgd.remove_hook("post");
  sgd.call_hooks(HookTiming::kPost);
  EXPECT_EQ(calls.size(), 1u);
}

// A hook that names its own time.
struct Halve {
  static constexpr std::string_view kName = "Halve";
  static constexpr HookTiming kTiming = HookTiming::kPost;
  void operator()(Optimizer& optimizer) const {
    for (const Parameter& param : optimizer.updated_params()) {
      const Array data = param.data();
      array::multiply(data, 0.5, {.out = data});
    }
  }
};

TEST_P(OptimizerMethodsTest, AHookAfterTheStepChangesWhatComesOfIt) {
  for (const Dtype dtype : {Dtype::kFloat32, Dtype::kFloat16}) {
    Three link(dtype);
    SGD sgd({.lr = 1});
    sgd.use_fp32_update();
    sgd.setup(link);
    sgd.add_hook(Halve());
    link.set_grads(-2, 0);
    sgd.update();
    EXPECT_EQ(Three::first(link.a.data()), 1.5);  // (1 + 2) / 2
    link.set_grads(-2, 0);
    sgd.update();
    EXPECT_EQ(Three::first(link.a.data()), 1.75);
    sgd.remove_hook("Halve");
    // Asked for another time, it halves before the step.
    sgd.add_hook(Halve(), HookTiming::kPre);
    link.set_grads(-2, 0);
    sgd.update();
    EXPECT_EQ(Three::first(link.a.data()), 2.875);
  }
}

// Has a loss, sum(w^2 x).
class Quadratic : public Callable<Quadratic> {
 public:
  Quadratic() : w(this, "w", Three::constant(0.5, Dtype::kFloat32), Shape{3}) {}
  Variable forward(const Variable& x) const {
    return functions::sum(w * w * x);
  }
  Param w;
};

// One step of an optimizer with its target's own loss.
void train(Optimizer& optimizer) {
  const Variable x(full({3}, 2));
  optimizer.update(optimizer.loss_function(), std::span(&x, 1));
}

// The parameter after some steps of an optimizer, which is moved between them
// or not.
template <class O>
Array trained(bool is_moved) {
  static_assert(std::is_nothrow_move_constructible_v<O>);
  static_assert(std::is_nothrow_move_assignable_v<O>);
  static_assert(!std::is_copy_constructible_v<O>);
  static_assert(!std::is_copy_assignable_v<O>);
  Quadratic model;
  O first;
  O& optimizer = first;
  optimizer.setup(model);
  optimizer.add_hook(WeightDecay(0.125));
  optimizer.loss_scaling({.scale = 8});
  train(optimizer);
  std::vector<O> many;
  if (is_moved) {
    many.push_back(std::move(first));
    many.emplace_back();  // moves the first into new memory
    EXPECT_THROW(optimizer.update(), ValueError);
  }
  O& second = is_moved ? many[0] : optimizer;
  EXPECT_EQ(&second.target(), &model);
  EXPECT_EQ(second.t(), 1);
  train(second);
  const std::string name(second.hyperparameter_names()[0]);
  second.set_hyperparameter(name, second.hyperparameter(name) / 2);
  EXPECT_EQ(update_rule_of(model.w).hyperparameter(name),
            second.hyperparameter(name));
  train(second);
  if (is_moved) optimizer = std::move(second);
  many.clear();
  train(optimizer);
  EXPECT_EQ(optimizer.t(), 4);
  EXPECT_EQ(update_rule_of(model.w).t(), 4);
  return model.w.data();
}

template <class O>
void expect_movable() {
  EXPECT_THAT(trained<O>(true), IsArray(trained<O>(false)));
}

TEST_P(OptimizerMethodsTest, AMovedOptimizerGoesOn) {
  expect_movable<SGD>();
  expect_movable<MomentumSGD>();
  expect_movable<CorrectedMomentumSGD>();
  expect_movable<NesterovAG>();
  expect_movable<AdaGrad>();
  expect_movable<AdaDelta>();
  expect_movable<Adam>();
  expect_movable<MSVAG>();
  expect_movable<RMSprop>();
  expect_movable<RMSpropGraves>();
  expect_movable<SMORMS3>();
}

TEST_P(OptimizerMethodsTest, AFunctionCanMakeAnOptimizerThatIsSetUp) {
  Quadratic model;
  const auto make = [&] {
    Adam adam({.alpha = 0.25});
    adam.setup(model);
    return adam;
  };
  Adam adam = make();
  train(adam);
  EXPECT_NEAR(Three::first(model.w.data()), 0.25, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Devices, OptimizerMethodsTest,
                         ::catena::testing::every_device());

TEST(HyperparameterTest, AParameterOverridesWhatItsParentSays) {
  Three link;
  MomentumSGD optimizer({.lr = 1, .momentum = 0});
  optimizer.setup(link);
  UpdateRule& rule = update_rule_of(link.a);
  rule.set_hyperparameter("lr", 0.25);
  EXPECT_EQ(rule.hyperparameter("lr"), 0.25);
  const auto after = [&] {
    link.a.data().fill(0);
    link.b.data().fill(0);
    link.set_grads(-1, -1);
    optimizer.update();
    return std::pair(Three::first(link.a.data()), Three::first(link.b.data()));
  };
  EXPECT_EQ(after(), std::pair(0.25, 1.0));
  // What it does not override follows the parent.
  optimizer.set_hyperparameter("lr", 0.5);
  optimizer.set_hyperparameter("momentum", 0.5);
  EXPECT_EQ(rule.hyperparameter("momentum"), 0.5);
  EXPECT_EQ(after(), std::pair(0.375, 1.0));  // v: 0.25 / 2 + 0.25, 1 / 2 + 0.5
  auto& momentum = dynamic_cast<MomentumSGDRule&>(rule);
  EXPECT_EQ(momentum.parent().lr, 0.5);
  EXPECT_EQ(momentum.hyper().lr, 0.25);
  momentum.reset_hyper();
  EXPECT_EQ(rule.hyperparameter("lr"), 0.5);
}

TEST(HyperparameterTest, ANegativeLearningRateIsToldOnce) {
  ::testing::internal::CaptureStderr();
  const Adam adam({.alpha = -1});
  const Adam again({.alpha = -1});
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "warning: Adam: expected alpha of at least 0, got -1: steps go "
            "uphill and make the loss larger\n");
}

TEST(HyperparameterTest, BadNamesAndValuesAreRefused) {
  Three link;
  MomentumSGD optimizer({.lr = 1, .momentum = 0.5});
  EXPECT_THAT(error_of<ValueError>([&] { update_rule_of(link.a); }),
              HasSubstr("update_rule_of"));
  optimizer.setup(link);
  UpdateRule& rule = update_rule_of(link.a);
  EXPECT_THAT(
      error_of<ValueError>([&] { rule.set_hyperparameter("alpha", 1); }),
      HasSubstr("expected the name of a hyperparameter ('lr', 'momentum'), "
                "got 'alpha'"));
  EXPECT_THAT(
      error_of<ValueError>([&] { rule.set_hyperparameter("momentum", 1); }),
      HasSubstr("expected momentum in [0, 1), got 1"));
  EXPECT_EQ(rule.hyperparameter("momentum"), 0.5);
  EXPECT_THROW(dynamic_cast<MomentumSGDRule&>(rule).set_hyper({.momentum = -1}),
               ValueError);
}

TEST(HyperparameterTest, TheLearningRateOfAdamFollowsFromOthers) {
  Three link;
  Adam adam({.alpha = 0.5, .beta1 = 0.75, .beta2 = 0.9375});
  adam.setup(link);
  EXPECT_EQ(adam.lr(), 0.5);  // sqrt(1 / 16) / (1 / 4)
  link.set_grads(1, 1);
  adam.update();
  adam.update();
  EXPECT_NEAR(adam.lr(), 0.5 * std::sqrt(1 - 0.9375 * 0.9375) / 0.4375, 1e-12);
  EXPECT_EQ(SGD({.lr = 0.125}).lr(), 0.125);
}

TEST_P(OptimizerMethodsTest, AStepWithTheMeanOfLossesScalesThem) {
  for (const double scale : {0.0, 64.0}) {
    Three link;
    SGD optimizer({.lr = 1});
    optimizer.setup(link);
    if (scale > 0) optimizer.set_loss_scale(scale);
    int calls = 0;
    const auto loss = [&](double slope) {
      return [&calls, &link, slope] {
        ++calls;
        return functions::sum(link.a * slope);
      };
    };
    link.a.set_grad(full({2}, 1000));
    const std::vector<std::function<Variable()>> losses = {loss(1), loss(2),
                                                           loss(6)};
    const std::vector<Variable> results = optimizer.update_mean(losses);
    EXPECT_EQ(calls, 3);
    EXPECT_THAT(link.a.grad(), ::catena::testing::IsClose(full({2}, 3)));
    ASSERT_EQ(results.size(), 3u);
    EXPECT_EQ(results[2].creator_node(), nullptr);
    EXPECT_EQ(optimizer.t(), 1);
    EXPECT_THAT(error_of<ValueError>([&] { optimizer.update_mean({}); }),
                HasSubstr("update_mean: expected losses, got none"));
  }
}

}  // namespace
}  // namespace catena::optimizers
