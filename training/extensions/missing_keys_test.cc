#include "catena/training/extensions/missing_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "catena/links/reporter.h"
#include "catena/serializers/npz.h"
#include "catena/tests/testing/temp_folder.h"
#include "catena/training/extensions/log_report.h"
#include "catena/training/extensions/plot_report.h"
#include "catena/training/extensions/print_report.h"
#include "catena/training/extensions/tensorboard_report.h"
#include "catena/training/testing/scripted_training.h"

namespace catena::training::extensions {
namespace {

using ::testing::HasSubstr;
using testing::ScriptedTraining;
using testing::TempFolder;

using Keys = std::vector<std::string>;

// The warnings of a run that reports "loss" in each iteration and "val" in
// every second one, which ends an epoch. `extend` adds what is tested; an
// exception is thrown in iteration `fails_at`.
template <class Extend>
std::string warnings_of(const Extend& extend, int iterations = 6,
                        int fails_at = -1) {
  ScriptedTraining training({iterations, "iteration"});
  training.updater.on_update = [&](int64_t iteration) {
    if (iteration == fails_at) throw std::runtime_error("failed");
    report({{"loss", iteration}});
    if (iteration % 2 == 0) report({{"val", iteration}});
  };
  extend(training.trainer);
  ::testing::internal::CaptureStderr();
  try {
    training.trainer.run({.show_loop_exception_msg = false});
  } catch (const std::runtime_error&) {
  }
  return ::testing::internal::GetCapturedStderr();
}

PrintReportOptions to(std::ostream& out) { return {.out = &out}; }

TEST(MissingKeysTest, PrintReportWarnsOnceOfEntriesThatNoLogEntryHas) {
  std::ostringstream table;
  EXPECT_EQ(
      warnings_of([&](Trainer& trainer) {
        trainer.extend(LogReport());
        trainer.extend(PrintReport({"epoch", "los", "val", "acc"}, to(table)));
      }),
      "warning: PrintReport: nothing so far has reported 'los', 'acc'; "
      "observed: 'elapsed_time', 'epoch', 'iteration', 'loss', 'val'\n");
}

TEST(MissingKeysTest, LogReportWarns) {
  EXPECT_EQ(warnings_of([](Trainer& trainer) {
              trainer.extend(LogReport({.keys = Keys{"los", "val"}}));
            }),
            "warning: LogReport: nothing so far has reported 'los'; observed: "
            "'elapsed_time', 'epoch', 'iteration', 'loss', 'val'\n");
}

TEST(MissingKeysTest, PlotReportWarns) {
  if (!PlotReport::available()) GTEST_SKIP() << "gnuplot is not installed";
  EXPECT_EQ(
      warnings_of([](Trainer& trainer) {
        trainer.extend(PlotReport({"loss", "vall"}));
      }),
      "warning: PlotReport: nothing so far has reported 'vall'; observed: "
      "'epoch', 'iteration', 'loss', 'val'\n");
}

TEST(MissingKeysTest, TensorBoardReportWarns) {
  EXPECT_EQ(warnings_of([](Trainer& trainer) {
              trainer.extend(TensorBoardReport({.keys = Keys{"los"}}));
            }),
            "warning: TensorBoardReport: nothing so far has reported 'los'; "
            "observed: "
            "'loss', 'val'\n");
}

TEST(MissingKeysTest, ReportsWithoutMissingKeysAreSilent) {
  std::ostringstream table;
  EXPECT_EQ(
      warnings_of([&](Trainer& trainer) {
        trainer.extend(LogReport());
        trainer.extend(
            LogReport({.keys = Keys{"loss", "val", "epoch"}, .log_name = ""}));
        trainer.extend(PrintReport(
            {"epoch", "iteration", "elapsed_time", "loss", "val"}, to(table)));
        trainer.extend(TensorBoardReport());
      }),
      "");
}

TEST(MissingKeysTest, WaitsForTheEndOfAnEpoch) {
  std::ostringstream table;
  EXPECT_EQ(warnings_of([&](Trainer& trainer) {
              trainer.extend(LogReport({.keys = Keys{"val"},
                                        .trigger = {1, "iteration"},
                                        .log_name = ""}));
              trainer.extend(PrintReport({"val"}, to(table)));
            }),
            "");
}

TEST(MissingKeysTest, ARunWithoutAWholeEpochWarnsAtItsEndUnlessItFailed) {
  std::ostringstream table;
  const auto extend = [&](Trainer& trainer) {
    trainer.extend(LogReport({.trigger = {1, "iteration"}, .log_name = ""}));
    trainer.extend(PrintReport({"val"}, to(table)));
  };
  EXPECT_THAT(warnings_of(extend, 1),
              HasSubstr("PrintReport: nothing so far has reported 'val'; "));
  EXPECT_EQ(warnings_of(extend, 6, 2), "");
}

TEST(MissingKeysTest, ARunThatEndsBeforeAnythingIsWrittenIsSilent) {
  std::ostringstream table;
  const AnyTrigger late = {100, "iteration"};
  EXPECT_EQ(warnings_of([&](Trainer& trainer) {
              trainer.extend(LogReport({.keys = Keys{"los"}, .trigger = late}));
              trainer.extend(PrintReport({"loss", "los"}, to(table)));
              trainer.extend(
                  TensorBoardReport({.keys = Keys{"los"}, .trigger = late}));
              if (PlotReport::available()) {
                trainer.extend(PlotReport({"los"}, {.trigger = late}));
              }
            }),
            "");
}

TEST(MissingKeysTest, PostprocessingCanAddAKey) {
  const auto add = [](Observation& entry) { entry.set("twice", 2); };
  EXPECT_EQ(
      warnings_of([&](Trainer& trainer) {
        trainer.extend(LogReport({.keys = Keys{"twice"}, .postprocess = add}));
      }),
      "");
}

TEST(MissingKeysTest, APrivateLogReportWarnsToo) {
  std::ostringstream table;
  const auto own = std::make_shared<LogReport>(
      LogReportOptions{.keys = Keys{"loss", "los"}, .log_name = ""});
  EXPECT_EQ(warnings_of([&](Trainer& trainer) {
              trainer.extend(
                  PrintReport({"loss"}, {.log_report = own, .out = &table}));
            }),
            "warning: LogReport: nothing so far has reported 'los'; observed: "
            "'elapsed_time', 'epoch', 'iteration', 'loss', 'val'\n");
}

// The epoch that counts is the first of this run.
TEST(MissingKeysTest, AResumedRunWaitsForAnEpochToo) {
  const TempFolder folder;
  const auto extend = [](Trainer& trainer) {
    trainer.extend(LogReport(
        {.keys = Keys{"val"}, .trigger = {1, "iteration"}, .log_name = ""}));
  };
  EXPECT_EQ(warnings_of(
                [&](Trainer& trainer) {
                  extend(trainer);
                  trainer.extend([&](Trainer& saved) {
                    serializers::save_npz(folder.file("snapshot"), saved);
                  });
                },
                4),
            "");
  EXPECT_EQ(warnings_of([&](Trainer& trainer) {
              extend(trainer);
              trainer.extend([](Trainer&) {});
              serializers::load_npz(folder.file("snapshot"), trainer);
            }),
            "");
}

}  // namespace
}  // namespace catena::training::extensions
