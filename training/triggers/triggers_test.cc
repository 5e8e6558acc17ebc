#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/links/reporter.h"
#include "catena/serializers/npz.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"
#include "catena/training/testing/scripted_training.h"
#include "catena/training/triggers/best_value_trigger.h"
#include "catena/training/triggers/early_stopping_trigger.h"
#include "catena/training/triggers/interval_trigger.h"
#include "catena/training/triggers/schedule_triggers.h"

namespace catena::training::triggers {
namespace {

using ::catena::testing::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ScriptedTraining;
using testing::TempFolder;

using Iterations = std::vector<int64_t>;

// The iterations after which a trigger fires.
Iterations fires_of(const AnyTrigger& trigger, int iterations,
                    double iterations_per_epoch = 2) {
  ScriptedTraining training({iterations, "iteration"}, iterations_per_epoch);
  Iterations fired;
  training.trainer.extend(
      [&](Trainer& trainer) { fired.push_back(trainer.updater().iteration()); },
      {.trigger = trigger});
  training.trainer.run();
  return fired;
}

// The same when training is saved after `cut` iterations and resumed by another
// trainer.
Iterations fires_when_resumed(const AnyTrigger& trigger, int cut,
                              int iterations, double iterations_per_epoch = 2,
                              const std::vector<double>& values = {}) {
  const TempFolder folder;
  Iterations fired;
  for (const int end : {cut, iterations}) {
    ScriptedTraining training({end, "iteration"}, iterations_per_epoch);
    training.updater.on_update = [&](int64_t iteration) {
      if (!values.empty()) report({{"value", values[iteration - 1]}});
    };
    training.trainer.extend(
        [&](Trainer& trainer) {
          fired.push_back(trainer.updater().iteration());
        },
        {.trigger = trigger});
    if (end == iterations) {
      serializers::load_npz(folder.file("snapshot"), training.trainer);
    }
    training.trainer.run();
    serializers::save_npz(folder.file("snapshot"), training.trainer);
  }
  return fired;
}

TEST(IntervalTriggerTest, FiresEverySoManyIterations) {
  EXPECT_THAT(fires_of({1, "iteration"}, 3), ElementsAre(1, 2, 3));
  EXPECT_THAT(fires_of({3, "iteration"}, 8), ElementsAre(3, 6));
  EXPECT_THAT(fires_of({2.5, "iteration"}, 8), ElementsAre(3, 5, 8));
}

TEST(IntervalTriggerTest, FiresEverySoManyEpochs) {
  EXPECT_THAT(fires_of({1, "epoch"}, 6), ElementsAre(2, 4, 6));
  EXPECT_THAT(fires_of({2, "epoch"}, 9), ElementsAre(4, 8));
  EXPECT_THAT(fires_of({0.5, "epoch"}, 3), ElementsAre(1, 2, 3));
}

TEST(IntervalTriggerTest, FiresLateRatherThanNever) {
  // 2.5 iterations per epoch: epochs end in the middle of a batch.
  EXPECT_THAT(fires_of({1, "epoch"}, 10, 2.5), ElementsAre(3, 5, 8, 10));
  // 0.4 iterations per epoch: several epochs end in each iteration.
  EXPECT_THAT(fires_of({1, "epoch"}, 3, 0.4), ElementsAre(1, 2, 3));
}

TEST(IntervalTriggerTest, FiresWhenItWasNotAskedForAWhile) {
  ScriptedTraining training({7, "iteration"});
  IntervalTrigger trigger(3, "iteration");
  Iterations fired;
  training.trainer.extend(
      [&](Trainer& trainer) {
        if (trigger(trainer)) fired.push_back(trainer.updater().iteration());
      },
      {.trigger = {2, "iteration"}});
  training.trainer.run();
  EXPECT_THAT(fired, ElementsAre(4, 6));
}

TEST(IntervalTriggerTest, RoundsQuotientsAsPythonDoes) {
  // Python 3.11: 0.3 // 0.1 == 2.0, 0.4 // 0.1 == 4.0, 0.9 // 0.1 == 8.0.
  EXPECT_THAT(fires_of({0.1, "epoch"}, 12, 10),
              ElementsAre(1, 2, 4, 6, 7, 8, 10, 11));
}

TEST(IntervalTriggerTest, ContinuesWhereItWas) {
  for (int cut = 1; cut < 9; ++cut) {
    EXPECT_EQ(fires_when_resumed({3, "iteration"}, cut, 9),
              fires_of({3, "iteration"}, 9))
        << cut;
    EXPECT_EQ(fires_when_resumed({1, "epoch"}, cut, 9, 2.5),
              fires_of({1, "epoch"}, 9, 2.5))
        << cut;
  }
}

TEST(IntervalTriggerTest, KnowsHowLongTrainingIs) {
  const auto length = AnyTrigger(20, "epoch").get_training_length();
  ASSERT_TRUE(length.has_value());
  EXPECT_EQ(length->period, 20);
  EXPECT_EQ(length->unit, "epoch");
}

TEST(IntervalTriggerTest, RejectsOtherPeriodsAndUnits) {
  EXPECT_THAT(error_of<ValueError>([] { AnyTrigger(0, "epoch"); }),
              HasSubstr("a period > 0, got 0"));
  EXPECT_THROW(AnyTrigger(-1, "epoch"), ValueError);
  EXPECT_THROW(AnyTrigger(std::nan(""), "epoch"), ValueError);
  EXPECT_THAT(error_of<ValueError>([] { AnyTrigger(1, "epochs"); }),
              HasSubstr("got 'epochs'"));
}

TEST(AnyTriggerTest, NothingNeverFires) {
  EXPECT_FALSE(AnyTrigger().is_given());
  EXPECT_FALSE(AnyTrigger().get_training_length().has_value());
  ScriptedTraining training({1, "iteration"});
  EXPECT_FALSE(AnyTrigger()(training.trainer));
}

TEST(AnyTriggerTest, CopiesHaveTheirOwnState) {
  const AnyTrigger trigger = get_trigger({2, "iteration"});
  const AnyTrigger copy = trigger;
  ScriptedTraining training({4, "iteration"});
  Iterations fired;
  training.trainer.extend([&](Trainer& trainer) {
    if (trigger(trainer)) fired.push_back(trainer.updater().iteration());
    if (copy(trainer)) fired.push_back(-trainer.updater().iteration());
  });
  training.trainer.run();
  EXPECT_THAT(fired, ElementsAre(2, -2, 4, -4));
}

TEST(AnyTriggerTest, FunctionsAreTriggers) {
  const auto third = [](Trainer& trainer) {
    return trainer.updater().iteration() == 3;
  };
  EXPECT_THAT(fires_of(third, 5), ElementsAre(3));
}

TEST(AnyTriggerTest, FunctionsMustNotBeEmpty) {
  EXPECT_THAT(error_of<ValueError>(
                  [] { get_trigger(std::function<bool(Trainer&)>()); }),
              HasSubstr("got an empty one"));
}

TEST(ManualScheduleTriggerTest, FiresAtItsPoints) {
  EXPECT_THAT(fires_of(ManualScheduleTrigger({2, 3, 5}, "iteration"), 6),
              ElementsAre(2, 3, 5));
  EXPECT_THAT(fires_of(ManualScheduleTrigger({1, 2.6}, "epoch"), 8),
              ElementsAre(2, 6));
  EXPECT_THROW(ManualScheduleTrigger({1}, "hour"), ValueError);
  for (int cut = 1; cut < 6; ++cut) {
    EXPECT_THAT(fires_when_resumed(
                    ManualScheduleTrigger({2, 3, 5}, "iteration"), cut, 6),
                ElementsAre(2, 3, 5));
  }
}

TEST(ManualScheduleTriggerTest, PointsMustBeFinite) {
  EXPECT_THAT(error_of<ValueError>([] {
                ManualScheduleTrigger({1, std::nan("")}, "epoch");
              }),
              HasSubstr("finite points, got nan"));
}

TEST(OnceTriggerTest, FiresAtTheFirstCall) {
  EXPECT_THAT(fires_of(OnceTrigger(), 3), ElementsAre(1));
  ScriptedTraining training({1, "iteration"});
  OnceTrigger trigger;
  EXPECT_FALSE(trigger.finished());
  EXPECT_TRUE(trigger(training.trainer));
  EXPECT_TRUE(trigger.finished());
  EXPECT_FALSE(trigger(training.trainer));
}

TEST(OnceTriggerTest, FiresAfterResumingWhereAsked) {
  EXPECT_THAT(fires_when_resumed(OnceTrigger(), 2, 4), ElementsAre(1));
  EXPECT_THAT(fires_when_resumed(OnceTrigger({.call_on_resume = true}), 2, 4),
              ElementsAre(1, 3));
}

TEST(TimeTriggerTest, FiresAfterSeconds) {
  EXPECT_THAT(fires_of(TimeTrigger(1e-9), 3), ElementsAre(1, 2, 3));
  EXPECT_THAT(fires_of(TimeTrigger(1e9), 3), ElementsAre());
  EXPECT_THAT(error_of<ValueError>([] { TimeTrigger(0); }),
              HasSubstr("a period > 0, got 0"));
}

Iterations best_of(const AnyTrigger& trigger,
                   const std::vector<double>& values) {
  ScriptedTraining training({static_cast<int>(values.size()), "iteration"});
  training.updater.on_update = [&](int64_t iteration) {
    report({{"value", values[iteration - 1]}});
  };
  Iterations fired;
  training.trainer.extend(
      [&](Trainer& trainer) { fired.push_back(trainer.updater().iteration()); },
      {.trigger = trigger});
  training.trainer.run();
  return fired;
}

TEST(BestValueTriggerTest, FiresWhenTheMeanOfAnIntervalIsTheBest) {
  const std::vector<double> values = {1, 3, 5, 1, 0, 0, 4, 1};  // 2 3 0 2.5
  EXPECT_THAT(best_of(MaxValueTrigger("value"), values), ElementsAre(2, 4));
  EXPECT_THAT(best_of(MinValueTrigger("value"), values), ElementsAre(2, 6));
  EXPECT_THAT(best_of(MaxValueTrigger("value", {1, "iteration"}), values),
              ElementsAre(1, 2, 3));
  const auto nearest_to_two = [](double best, double value) {
    return std::abs(value - 2.4) < std::abs(best - 2.4);
  };
  EXPECT_THAT(best_of(BestValueTrigger("value", nearest_to_two), values),
              ElementsAre(2, 8));
}

TEST(BestValueTriggerTest, ContinuesInTheMiddleOfAnInterval) {
  const std::vector<double> values = {1, 3, 5, 1, 0, 0, 4, 2, 9, 9};
  const Iterations expected = best_of(MaxValueTrigger("value"), values);
  for (int cut = 1; cut < 10; ++cut) {
    EXPECT_EQ(fires_when_resumed(MaxValueTrigger("value"), cut, 10, 2, values),
              expected)
        << cut;
  }
}

TEST(BestValueTriggerTest, NeedsAComparison) {
  EXPECT_THAT(error_of<ValueError>([] { BestValueTrigger("value", nullptr); }),
              HasSubstr("a comparison, got none"));
}

TEST(BestValueTriggerTest, TheValueMustBeObserved) {
  EXPECT_THAT(
      error_of<ValueError>([] { fires_of(MaxValueTrigger("acuracy"), 2); }),
      HasSubstr("'acuracy'"));
}

int64_t stops_at(const EarlyStoppingTriggerOptions& options,
                 const std::vector<double>& values) {
  ScriptedTraining training{EarlyStoppingTrigger(options)};
  training.updater.on_update = [&](int64_t iteration) {
    report({{options.monitor,
             values[std::min<size_t>(iteration - 1, values.size() - 1)]}});
  };
  training.trainer.run();
  return training.updater.iteration();
}

TEST(EarlyStoppingTriggerTest, StopsWhenThereIsNoMoreImprovement) {
  const AnyTrigger each = {1, "iteration"};
  const std::vector<double> values = {5, 4, 4.5, 3, 3, 4, 5, 6, 1};
  EXPECT_EQ(stops_at({.check_trigger = each}, values), 7);
  EXPECT_EQ(stops_at({.check_trigger = each, .patients = 1}, values), 3);
  EXPECT_EQ(
      stops_at({.check_trigger = each, .patients = 2, .mode = "max"}, values),
      3);
  EXPECT_EQ(stops_at({.check_trigger = each,
                      .monitor = "validation/main/accuracy",
                      .patients = 2},
                     values),
            3);
  EXPECT_EQ(stops_at({.check_trigger = each, .max_trigger = {4, "iteration"}},
                     values),
            4);
}

TEST(EarlyStoppingTriggerTest, SaysSoWhereAsked) {
  const AnyTrigger each = {1, "iteration"};
  ::testing::internal::CaptureStdout();
  stops_at({.check_trigger = each, .patients = 1, .verbose = true}, {1, 2});
  EXPECT_EQ(::testing::internal::GetCapturedStdout(),
            "EarlyStoppingTrigger: main/loss has not become better than 1 for "
            "1 checks: training stops after 2 iterations\n");
}

TEST(EarlyStoppingTriggerTest, RejectsBadArguments) {
  EXPECT_THAT(
      error_of<ValueError>([] { EarlyStoppingTrigger({.mode = "best"}); }),
      HasSubstr("'max', 'min' or 'auto', got"));
  EXPECT_THROW(EarlyStoppingTrigger({.patients = 0}), ValueError);
  EXPECT_EQ(EarlyStoppingTrigger().get_training_length()->period, 100);
}

}  // namespace
}  // namespace catena::training::triggers
