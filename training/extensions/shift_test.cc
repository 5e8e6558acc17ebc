#include "catena/training/extensions/shift.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/links/reporter.h"
#include "catena/optimizers/ada_delta.h"
#include "catena/optimizers/adam.h"
#include "catena/serializers/npz.h"
#include "catena/tests/support/golden.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"
#include "catena/training/extensions/observe_value.h"
#include "catena/training/testing/scripted_training.h"

namespace catena::training::extensions {
namespace {

using ::catena::testing::error_of;
using ::testing::DoubleEq;
using ::testing::ElementsAre;
using testing::GoldenCase;
using ::testing::HasSubstr;
using testing::ScriptedTraining;
using testing::TempFolder;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kOwn = 1.0;  // the optimizer's own learning rate

// The learning rates before training and after each iteration.
template <class Shift>
std::vector<double> rates_with(const Shift& shift, int64_t iterations,
                               double own = kOwn) {
  ScriptedTraining training({iterations, "iteration"});
  training.updater.optimizer.set_hyperparameter("lr", own);
  std::vector<double> rates;
  const auto record = [&](Trainer& trainer) {
    rates.push_back(
        trainer.updater().get_optimizer("main").hyperparameter("lr"));
  };
  training.trainer.extend(Shift(shift));
  training.trainer.extend(record, {.invoke_before_training = true});
  training.trainer.run();
  return rates;
}

TEST(CosineShiftTest, FallsAlongHalfACosineAfterItsWarmup) {
  EXPECT_THAT(rates_with(CosineShift("lr", 4, {.init = 2}), 6),
              ElementsAre(2, DoubleEq(1 + std::sqrt(0.5)), DoubleEq(1),
                          DoubleEq(1 - std::sqrt(0.5)), 0, 0, 0));
  EXPECT_THAT(
      rates_with(
          CosineShift("lr", 6,
                      {.target = 0.5, .warmup_iter = 4, .warmup_start = 0.2}),
          7),
      ElementsAre(0.2, DoubleEq(0.4), DoubleEq(0.6), DoubleEq(0.8), 1,
                  DoubleEq(0.75), 0.5, 0.5));
}

TEST(CosineShiftTest, RefusesWhatIsOutOfRange) {
  EXPECT_THAT(error_of<ValueError>([] { CosineShift("lr", 0); }),
              HasSubstr("CosineShift: expected max_count >= 1, got 0"));
  EXPECT_THAT(
      error_of<ValueError>([] { CosineShift("lr", 5, {.warmup_iter = 5}); }),
      HasSubstr("0 <= warmup_iter < max_count, got 5 and 5"));
  EXPECT_THAT(
      error_of<ValueError>([] { CosineShift("lr", 5, {.target = kNan}); }),
      HasSubstr("finite target"));
}

// The rates that Chainer's extension of the same name gave.
class ShiftGolden : public ::testing::TestWithParam<GoldenCase> {
 protected:
  const GoldenCase& golden() const { return GetParam(); }
  std::string attr() const { return golden().attr<std::string>("attr_name"); }
  double number(const char* key) const { return golden().attr<double>(key); }
  int64_t count(const char* key) const { return golden().attr<int64_t>(key); }
  std::optional<double> optional(const char* key) const {
    if (!golden().has_attr(key)) return std::nullopt;
    return number(key);
  }
  ShiftOptions init() const { return {.init = optional("init")}; }
  TargetShiftOptions target() const {
    return {.init = optional("init"), .target = optional("target")};
  }

  template <class Shift>
  void expect_rates(const Shift& shift) const {
    const auto start = golden().array("start").item<double>();
    std::vector<double> expected = {start};
    const auto rest = golden().array("out0").to_vector<double>();
    expected.insert(expected.end(), rest.begin(), rest.end());
    ASSERT_GT(expected.size(), 1u);
    // Where the case has no value to start from, it is the optimizer's own.
    const double own = golden().has_attr("init") ? 7.0 : start;
    const auto rates = rates_with(shift, golden().array("out0").size(), own);
    ASSERT_EQ(rates.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_DOUBLE_EQ(rates[i], expected[i]) << i;
    }
  }
};

TEST_P(ShiftGolden, AgreesWithChainer) {
  const std::map<std::string, std::function<void()>> extensions = {
      {"ExponentialShift",
       [&] {
         expect_rates(ExponentialShift(attr(), number("rate"), target()));
       }},
      {"InverseShift",
       [&] {
         expect_rates(
             InverseShift(attr(), number("gamma"), number("power"), target()));
       }},
      {"LinearShift",
       [&] {
         const auto values = golden().attr<std::vector<double>>("value_range");
         const auto times = golden().attr<Shape>("time_range");
         expect_rates(LinearShift(attr(), {values.at(0), values.at(1)},
                                  {times[0], times[1]}));
       }},
      {"MultistepShift",
       [&] {
         const auto steps = golden().attr<Shape>("step_value");
         expect_rates(MultistepShift(attr(), number("gamma"),
                                     {steps.begin(), steps.end()}, init()));
       }},
      {"PolynomialShift",
       [&] {
         expect_rates(PolynomialShift(attr(), number("rate"),
                                      count("max_count"), target()));
       }},
      {"StepShift",
       [&] {
         expect_rates(
             StepShift(attr(), number("gamma"), count("step"), init()));
       }},
      {"WarmupShift",
       [&] {
         expect_rates(WarmupShift(attr(), number("warmup_start"),
                                  count("warmup_iter"), init()));
       }},
  };
  const auto name = golden().attr<std::string>("extension");
  ASSERT_TRUE(extensions.contains(name)) << name;
  extensions.at(name)();
}

INSTANTIATE_TEST_SUITE_P(
    All, ShiftGolden,
    ::testing::ValuesIn(testing::golden_cases("training/schedules")),
    testing::golden_case_name);

TEST(InverseShiftTest, GrowsToItsTargetWhereGammaIsNegative) {
  const InverseShift shift("lr", -0.25, 1.5, {.init = 1.0, .target = 4.0});
  EXPECT_THAT(rates_with(shift, 5), ElementsAre(1, std::pow(0.75, -1.5),
                                                std::pow(0.5, -1.5), 4, 4, 4));
}

TEST(WarmupShiftTest, EndsAtTheOptimizersOwnValue) {
  EXPECT_THAT(rates_with(WarmupShift("lr", 0, 2), 3),
              ElementsAre(0, kOwn / 2, kOwn, kOwn));
}

TEST(ExponentialShiftTest, ContinuesWithTheValueItHad) {
  const TempFolder folder;
  const ExponentialShift shift("lr", 0.5, {.init = 8.0, .target = 0.75});
  const std::vector<double> expected = rates_with(shift, 6);
  for (int cut = 1; cut < 6; ++cut) {
    std::vector<double> rates;
    for (const int end : {cut, 6}) {
      ScriptedTraining training({end, "iteration"});
      training.trainer.extend(ExponentialShift(shift));
      training.trainer.extend(observe_lr());
      training.updater.on_update = [&](int64_t) {
        rates.push_back(training.updater.optimizer.hyperparameter("lr"));
      };
      if (end == 6) {
        serializers::load_npz(folder.file("snapshot"), training.trainer);
      }
      training.trainer.run();
      serializers::save_npz(folder.file("snapshot"), training.trainer);
    }
    // Each update sees the rate of the call before it.
    EXPECT_EQ(rates, std::vector<double>(expected.begin(), expected.end() - 1))
        << cut;
  }
}

TEST(ExponentialShiftTest, ChangesAnotherOptimizer) {
  ScriptedTraining training({2, "iteration"});
  testing::Weight other;
  optimizers::SGD optimizer({.lr = 4});
  optimizer.setup(other);
  training.trainer.extend(
      ExponentialShift("lr", 0.5, {.optimizer = &optimizer}));
  training.trainer.run();
  EXPECT_EQ(optimizer.hyperparameter("lr"), 1);
}

TEST(ExponentialShiftTest, RejectsBadArguments) {
  EXPECT_THAT(error_of<ValueError>([] { ExponentialShift("lr", -0.1); }),
              HasSubstr("a rate >= 0, got -0.1"));
  ScriptedTraining training({2, "iteration"});
  training.trainer.extend(ExponentialShift("alpha", 0.5));
  EXPECT_THAT(error_of<ValueError>([&] { training.trainer.run(); }),
              HasSubstr("'alpha'"));
}

TEST(ShiftTest, RejectsBadArguments) {
  const auto expect_error = [](const auto& make, const char* message) {
    EXPECT_THAT(error_of<ValueError>(make), HasSubstr(message));
  };
  expect_error(
      [] {
        LinearShift("lr", {0, 1}, {3, 3});
      },
      "time_range.first < time_range.second, got 3 and 3");
  expect_error(
      [] {
        LinearShift("lr", {0, kNan}, {3, 4});
      },
      "LinearShift: expected a finite value_range, got nan");
  expect_error([] { InverseShift("lr", kNan, 1); },
               "InverseShift: expected a finite gamma, got nan");
  expect_error([] { InverseShift("lr", 1, kNan); }, "a finite power, got nan");
  expect_error([] { InverseShift("lr", -0.5, 1); },
               "expected a target for negative gamma");
  expect_error(
      [] {
        MultistepShift("lr", 0.1, {3, 3});
      },
      "expected step_value to ascend, got 3 before 3");
  expect_error(
      [] {
        MultistepShift("lr", 0.1, {0, 3});
      },
      "expected each step_value >= 1, got 0");
  expect_error([] { MultistepShift("lr", kNan, {3}); }, "a finite gamma");
  expect_error([] { PolynomialShift("lr", 1, 0); },
               "PolynomialShift: expected max_count >= 1, got 0");
  expect_error([] { PolynomialShift("lr", -1, 3); },
               "expected a target for a negative rate");
  expect_error([] { PolynomialShift("lr", kNan, 3); }, "a finite rate");
  expect_error([] { StepShift("lr", 0.1, -1); },
               "StepShift: expected step >= 1, got -1");
  expect_error([] { StepShift("lr", kNan, 1); }, "a finite gamma");
  expect_error([] { WarmupShift("lr", 0.1, 0); },
               "WarmupShift: expected warmup_iter >= 1, got 0");
  expect_error([] { WarmupShift("lr", kNan, 1); }, "a finite warmup_start");
}

TEST(ObserveValueTest, AddsToTheObservation) {
  ScriptedTraining training({2, "iteration"});
  std::vector<double> seen;
  training.trainer.extend([&](Trainer& trainer) {
    seen.push_back(trainer.observation()["lr"].as_double());
    seen.push_back(trainer.observation()["twice"].as_double());
  });
  training.trainer.extend(observe_lr());
  training.trainer.extend(observe_value("twice", [](Trainer& trainer) {
    return trainer.updater().iteration() * 2;
  }));
  training.trainer.run();
  EXPECT_THAT(seen, ElementsAre(0.01, 2, 0.01, 4));
}

TEST(ObserveValueTest, KnowsAdamsRate) {
  ScriptedTraining training({1, "iteration"});
  optimizers::Adam adam({.alpha = 0.5, .beta1 = 0.75, .beta2 = 0.96});
  adam.setup(training.updater.model);
  testing::Weight other;
  optimizers::AdaDelta delta;
  delta.setup(other);
  training.updater.add_optimizer("adam", adam);
  training.updater.add_optimizer("delta", delta);
  training.updater.on_update = [&](int64_t) { adam.update(); };
  training.trainer.extend(observe_lr("adam", "rate"));
  training.trainer.run();
  // 0.5 sqrt(0.04) / 0.25
  EXPECT_DOUBLE_EQ(training.trainer.observation()["rate"].as_double(), 0.4);
  FunctionExtension of_delta = observe_lr("delta");
  EXPECT_THAT(error_of<ValueError>([&] { of_delta(training.trainer); }),
              HasSubstr("), got 'lr'"));
}

TEST(ObserveValueTest, NeedsAFunction) {
  EXPECT_THAT(error_of<ValueError>([] { observe_value("x", nullptr); }),
              HasSubstr("target_func for 'x'"));
}

}  // namespace
}  // namespace catena::training::extensions
