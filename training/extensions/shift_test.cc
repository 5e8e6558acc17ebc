#include "catena/training/extensions/shift.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/error.h"
#include "catena/links/reporter.h"
#include "catena/serializers/npz.h"
#include "catena/tests/support/golden.h"
#include "catena/tests/support/temp_folder.h"
#include "catena/training/extensions/observe_value.h"
#include "catena/training/scripted_training.h"

namespace catena::training::extensions {
namespace {

using ::testing::ElementsAre;
using testing::golden_case;
using testing::GoldenCase;
using ::testing::HasSubstr;
using testing::ScriptedTraining;
using testing::TempFolder;
using ::testing::ThrowsMessage;

constexpr double kOwn = 1.0;  // the golden data's learning rate

// The learning rates before training and after each iteration.
template <class Shift>
std::vector<double> rates_with(const Shift& shift, int iterations) {
  ScriptedTraining training({iterations, "iteration"});
  training.updater.optimizer.set_hyperparameter("lr", kOwn);
  std::vector<double> rates;
  const auto record = [&](Trainer& trainer) {
    rates.push_back(
        trainer.updater().get_optimizer("main").hyperparameter("lr"));
  };
  training.trainer.extend(Shift(shift));
  training.trainer.extend(record, {.call_before_training = true});
  training.trainer.run();
  return rates;
}

template <class Shift>
void expect_golden(const GoldenCase& golden, const Shift& shift) {
  const Array expected = golden.array("out0");
  const auto rates = rates_with(shift, static_cast<int>(expected.size()));
  EXPECT_DOUBLE_EQ(rates[0], golden.array("start").item<double>());
  for (int64_t i = 0; i < expected.size(); ++i) {
    EXPECT_DOUBLE_EQ(rates[i + 1], expected[i].item<double>()) << i;
  }
}

class ExponentialShiftGolden : public ::testing::TestWithParam<const char*> {};

TEST_P(ExponentialShiftGolden, AgreesWithTheOriginal) {
  const GoldenCase golden = golden_case("training/schedules", GetParam());
  ExponentialShiftOptions options;
  if (golden.has_attr("init")) options.init = golden.attr<double>("init");
  if (golden.has_attr("target")) options.target = golden.attr<double>("target");
  expect_golden(golden, ExponentialShift(golden.attr<std::string>("attr_name"),
                                         golden.attr<double>("rate"), options));
}

INSTANTIATE_TEST_SUITE_P(All, ExponentialShiftGolden,
                         ::testing::Values("exp", "exp_init", "exp_target_down",
                                           "exp_target_up"));

TEST(LinearShiftTest, AgreesWithTheOriginal) {
  const GoldenCase golden = golden_case("training/schedules", "linear");
  expect_golden(golden, LinearShift("lr", {1.0, 0.1}, {2, 8}));
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
  EXPECT_THAT([] { ExponentialShift("lr", -0.1); },
              ThrowsMessage<ValueError>(HasSubstr("a rate >= 0, got -0.1")));
  EXPECT_THROW(LinearShift("lr", {0, 1}, {3, 3}), ValueError);
  ScriptedTraining training({2, "iteration"});
  training.trainer.extend(ExponentialShift("alpha", 0.5));
  EXPECT_THAT([&] { training.trainer.run(); },
              ThrowsMessage<ValueError>(HasSubstr("'alpha'")));
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

}  // namespace
}  // namespace catena::training::extensions
