#include "catena/training/extensions/log_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <sstream>

#include "catena/array/core/error.h"
#include "catena/links/reporter.h"
#include "catena/serializers/npz.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"
#include "catena/training/extensions/print_report.h"
#include "catena/training/log_json.h"
#include "catena/training/testing/scripted_training.h"

namespace catena::training::extensions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;
using testing::read_file;
using testing::ScriptedTraining;
using ::testing::StartsWith;
using testing::TempFolder;

// Reports "main/loss" in each iteration and "val" in every second one.
void report_loss_and_val(ScriptedTraining& training) {
  training.updater.on_update = [&training](int64_t iteration) {
    report({{"loss", 1.0 / static_cast<double>(iteration)}},
           &training.updater.model);
    if (iteration % 2 == 0) report({{"val", iteration}});
  };
}

// The text of a log without times.
std::string without_times(std::vector<Observation> log) {
  for (Observation& entry : log) entry.set("elapsed_time", 0);
  return log_to_json(log, 4);
}

TEST(LogReportTest, WritesTheMeansOfEachEpoch) {
  ScriptedTraining training({4, "iteration"});
  report_loss_and_val(training);
  const LogReport& report = training.trainer.extend(LogReport());
  training.trainer.run();
  const std::string text = read_file(training.trainer.out_path("log"));
  EXPECT_EQ(text, log_to_json(report.log(), 4));
  EXPECT_EQ(without_times(log_from_json(text)), R"([
    {
        "main/loss": 0.75,
        "val": 2.0,
        "epoch": 1,
        "iteration": 2,
        "elapsed_time": 0
    },
    {
        "main/loss": 0.29166666666666663,
        "val": 4.0,
        "epoch": 2,
        "iteration": 4,
        "elapsed_time": 0
    }
])");
}

TEST(LogReportTest, ReportedValuesCountByTheirWeights) {
  ScriptedTraining training({2, "iteration"});
  training.updater.on_update = [&training](int64_t iteration) {
    const bool is_first = iteration == 1;
    report({{"loss", weighted(is_first ? 1.0 : 5.0, is_first ? 3 : 1)}},
           &training.updater.model);
  };
  const LogReport& log = training.trainer.extend(LogReport());
  training.trainer.run();
  ASSERT_EQ(log.log().size(), 1u);
  EXPECT_EQ(log.log()[0]["main/loss"].as_double(), 2.0);
}

TEST(LogReportTest, IsCompleteAfterEachEntry) {
  ScriptedTraining training({6, "iteration"});
  report_loss_and_val(training);
  const LogReport& report = training.trainer.extend(
      LogReport({.trigger = {1, "iteration"}}), {.priority = 200});
  training.trainer.extend([&](Trainer& trainer) {
    EXPECT_EQ(read_file(trainer.out_path("log")), log_to_json(report.log(), 4));
  });
  training.trainer.run();
  EXPECT_EQ(report.log().size(), 6u);
}

TEST(LogReportTest, LogsTheKeysItIsAskedFor) {
  ScriptedTraining training({2, "iteration"});
  report_loss_and_val(training);
  const LogReport& report = training.trainer.extend(
      LogReport({.keys = std::vector<std::string>{"val", "none"},
                 .postprocess = [](Observation& entry) {
                   entry.set("twice", entry["val"].as_double() * 2);
                 }}));
  training.trainer.run();
  ASSERT_EQ(report.log().size(), 1u);
  EXPECT_FALSE(report.log()[0].contains("main/loss"));
  EXPECT_EQ(report.log()[0]["twice"].as_double(), 4);
}

TEST(LogReportTest, FileNamesMayHaveFields) {
  ScriptedTraining training({4, "iteration"});
  training.trainer.extend(
      LogReport({.log_name = "log_{epoch}_{iteration:03}"}));
  training.trainer.run();
  EXPECT_TRUE(std::filesystem::exists(training.trainer.out_path("log_1_002")));
  EXPECT_EQ(
      log_from_json(read_file(training.trainer.out_path("log_2_004"))).size(),
      2u);
  ScriptedTraining other({2, "iteration"});
  other.trainer.extend(LogReport({.log_name = "log_{epochs}"}));
  EXPECT_THAT(error_of<ValueError>([&] { other.trainer.run(); }),
              HasSubstr("'{epochs}'"));
}

TEST(LogReportTest, CanDoWithoutAFile) {
  ScriptedTraining training({2, "iteration"});
  training.trainer.extend(LogReport({.log_name = ""}));
  training.trainer.run();
  EXPECT_TRUE(std::filesystem::is_empty(training.trainer.out()));
}

TEST(LogReportTest, AResumedLogIsTheSame) {
  ScriptedTraining whole({7, "iteration"}, 3);
  report_loss_and_val(whole);
  const LogReport& expected = whole.trainer.extend(LogReport());
  whole.trainer.run();
  for (int cut = 1; cut < 6; ++cut) {
    const TempFolder folder;
    ScriptedTraining first({cut, "iteration"}, 3);
    report_loss_and_val(first);
    first.trainer.extend(LogReport());
    first.trainer.run();
    serializers::save_npz(folder.file("snapshot"), first.trainer);
    ScriptedTraining second({7, "iteration"}, 3);
    report_loss_and_val(second);
    const LogReport& resumed = second.trainer.extend(LogReport());
    serializers::load_npz(folder.file("snapshot"), second.trainer);
    second.trainer.run();
    EXPECT_EQ(without_times(resumed.log()), without_times(expected.log()))
        << cut;
    EXPECT_EQ(read_file(second.trainer.out_path("log")),
              log_to_json(resumed.log(), 4));
  }
}

TEST(LogReportTest, RejectsOtherLogs) {
  const TempFolder folder;
  ScriptedTraining training({2, "iteration"});
  training.trainer.extend(LogReport());
  training.trainer.run();
  serializers::save_npz(folder.file("snapshot"), training.trainer);
  auto entries = array::load_npz(folder.file("snapshot"));
  entries.insert_or_assign("extensions/LogReport/_log",
                           array::NpyValue(std::string("[{")));
  array::savez(folder.file("snapshot"),
               array::NpzItems(entries.begin(), entries.end()));
  ScriptedTraining other({2, "iteration"});
  other.trainer.extend(LogReport());
  EXPECT_THAT(error_of<IoError>([&] {
                serializers::load_npz(folder.file("snapshot"), other.trainer);
              }),
              HasSubstr("extensions/LogReport/_log: expected a log in JSON"));
  EXPECT_EQ(other.updater.iteration(), 0);
}

TEST(PrintReportTest, PrintsARowForEachEntry) {
  ScriptedTraining training({4, "iteration"});
  report_loss_and_val(training);
  std::ostringstream out;
  training.trainer.extend(LogReport());
  training.trainer.extend(PrintReport(
      {"epoch", "main/loss", "validation/main/accuracy"}, {.out = &out}));
  training.trainer.run();
  EXPECT_EQ(out.str(),
            "epoch       main/loss   validation/main/accuracy\n"
            "1           0.75                                  \n"
            "2           0.291667                              \n");
}

TEST(PrintReportTest, PrintsTheWholeTableAfterResuming) {
  const TempFolder folder;
  std::string whole;
  for (const int end : {2, 6}) {
    ScriptedTraining training({end, "iteration"});
    report_loss_and_val(training);
    std::ostringstream out;
    training.trainer.extend(LogReport());
    training.trainer.extend(PrintReport({"epoch", "main/loss"}, {.out = &out}));
    if (end == 6) {
      serializers::load_npz(folder.file("snapshot"), training.trainer);
    }
    training.trainer.run();
    serializers::save_npz(folder.file("snapshot"), training.trainer);
    whole = out.str();
  }
  EXPECT_EQ(whole,
            "epoch       main/loss \n"
            "1           0.75        \n"
            "2           0.291667    \n"
            "3           0.183333    \n");
}

TEST(PrintReportTest, WarnsWhenItRunsBeforeTheLog) {
  ScriptedTraining training({2, "iteration"});
  std::ostringstream out;
  training.trainer.extend(PrintReport({"epoch"}, {.out = &out}));
  training.trainer.extend(LogReport());
  ::testing::internal::CaptureStderr();
  training.trainer.run();
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "warning: PrintReport: expected 'LogReport' to run before it, got "
            "it after: what it shows lacks the last entry; extend the trainer "
            "with the LogReport first\n");
}

TEST(LogReportTest, ItsFileIsOneOfItsOwn) {
  ScriptedTraining training({2, "iteration"});
  training.trainer.extend(LogReport());
  EXPECT_THAT(error_of<ValueError>([&] {
                training.trainer.extend(LogReport(), {.name = "other"});
              }),
              "extend: expected another file than 'log' for 'other', since "
              "'LogReport' writes it, too; choose a name in its options");
  training.trainer.extend(LogReport({.log_name = "other_log"}));
}

TEST(PrintReportTest, MayHaveALogReportOfItsOwn) {
  ScriptedTraining training({2, "iteration"});
  report_loss_and_val(training);
  std::ostringstream out;
  const auto own = std::make_shared<LogReport>(
      LogReportOptions{.trigger = {1, "iteration"}, .log_name = ""});
  training.trainer.extend(
      PrintReport({"iteration"}, {.log_report = own, .out = &out}));
  training.trainer.run();
  EXPECT_THAT(out.str(), StartsWith("iteration \n1           \n2  "));
}

TEST(PrintReportTest, RejectsBadArguments) {
  EXPECT_THAT(error_of<ValueError>([] { PrintReport({}); }),
              HasSubstr("to print, got none"));
  EXPECT_THAT(error_of<ValueError>([] {
                PrintReport({"epoch"},
                            {.log_report = std::shared_ptr<LogReport>()});
              }),
              HasSubstr("a LogReport, got a null pointer"));
}

TEST(PrintReportTest, NeedsALogReport) {
  ScriptedTraining training({1, "iteration"});
  training.trainer.extend(PrintReport({"epoch"}));
  EXPECT_THAT(error_of<ValueError>([&] { training.trainer.run(); }),
              "PrintReport: get_extension: expected the name of an "
              "extension ('PrintReport'), got 'LogReport'; extend the "
              "trainer with a LogReport first");
  ScriptedTraining other({1, "iteration"});
  other.trainer.extend([](Trainer&) {}, {.name = "LogReport"});
  other.trainer.extend(PrintReport({"epoch"}));
  EXPECT_THAT(error_of<ValueError>([&] { other.trainer.run(); }),
              HasSubstr("expected 'LogReport' to be a LogReport, got a "
                        "FunctionExtension; extend"));
}

}  // namespace
}  // namespace catena::training::extensions
