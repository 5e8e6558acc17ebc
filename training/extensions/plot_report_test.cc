#include "catena/training/extensions/plot_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "catena/array/core/error.h"
#include "catena/links/reporter.h"
#include "catena/serializers/npz.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"
#include "catena/training/testing/scripted_training.h"

namespace catena::training::extensions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;
using ::testing::Pair;
using testing::read_file;
using testing::ScriptedTraining;
using testing::TempFolder;

void report_values(ScriptedTraining& training) {
  training.updater.on_update = [](int64_t iteration) {
    report({{"a \"loss\"", 1.0 / static_cast<double>(iteration)}});
    if (iteration > 2) report({{"b", iteration}});
  };
}

size_t count_files(const std::string& folder) {
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry :
       std::filesystem::directory_iterator(folder)) {
    ++count;
  }
  return count;
}

const std::vector<std::string> kKeys = {"a \"loss\"", "b", "none"};

TEST(PlotReportTest, GathersMeansAsPoints) {
  ScriptedTraining training({4, "iteration"});
  report_values(training);
  const PlotReport& plot = training.trainer.extend(PlotReport(kKeys));
  training.trainer.run();
  EXPECT_THAT(
      plot.curves().at("a \"loss\""),
      ::testing::ElementsAre(Pair(2, 0.75), Pair(4, (1.0 / 3 + 0.25) / 2)));
  EXPECT_THAT(plot.curves().at("b"), ::testing::ElementsAre(Pair(4, 3.5)));
  EXPECT_EQ(plot.curves().count("none"), 0u);
}

TEST(PlotReportTest, MakesAPng) {
  if (!PlotReport::available()) GTEST_SKIP() << "gnuplot is not installed";
  ScriptedTraining training({4, "iteration"});
  report_values(training);
  training.trainer.extend(
      PlotReport(kKeys, {.x_key = "epoch", .file_name = "loss.png"}));
  training.trainer.run();
  const std::string png = read_file(training.trainer.out_path("loss.png"));
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(png.substr(16, 8), std::string("\0\0\x02\x80\0\0\x01\xe0", 8));
  EXPECT_EQ(count_files(training.trainer.out()), 1u);
}

TEST(PlotReportTest, TheFileNameSaysTheFormat) {
  if (!PlotReport::available()) GTEST_SKIP() << "gnuplot is not installed";
  ScriptedTraining training({4, "iteration"});
  report_values(training);
  const std::pair<const char*, const char*> formats[] = {
      {"a.pdf", "%PDF-"},
      {"a.svg", "<?xml"},
      {"a.ps", "%!PS-Adobe"},
      {"a.eps", "%!PS-Adobe"}};
  for (const auto& [name, unused] : formats) {
    training.trainer.extend(PlotReport(kKeys, {.file_name = name}));
  }
  training.trainer.run();
  for (const auto& [name, begin] : formats) {
    const std::string image = read_file(training.trainer.out_path(name));
    EXPECT_THAT(image, ::testing::StartsWith(begin)) << name;
    EXPECT_GT(image.size(), 2000u) << name;
  }
  EXPECT_THAT(
      error_of<ValueError>([] { PlotReport(kKeys, {.file_name = "a.gif"}); }),
      HasSubstr("PlotReport: expected a "
                "file_name that ends in"));
}

TEST(PlotReportTest, DrawsWhileTrainingGoesOn) {
  if (!PlotReport::available()) GTEST_SKIP() << "gnuplot is not installed";
  ScriptedTraining training([](Trainer& trainer) {
    return std::filesystem::exists(trainer.out_path("plot.png"));
  });
  report_values(training);
  training.trainer.extend(
      PlotReport(kKeys, {.shortest_pause = std::chrono::milliseconds(0)}));
  training.trainer.run();
  EXPECT_EQ(count_files(training.trainer.out()), 1u);
}

TEST(PlotReportTest, WarnsOnceWhereGnuplotIsMissing) {
  const char* path = getenv("PATH");
  const std::string saved = path != nullptr ? path : "";
  ASSERT_EQ(setenv("PATH", "/nowhere", 1), 0);
  EXPECT_FALSE(PlotReport::available());
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i) {
    ScriptedTraining training({4, "iteration"});
    report_values(training);
    training.trainer.extend(PlotReport({kKeys[0]}));
    training.trainer.run();
    EXPECT_EQ(count_files(training.trainer.out()), 0u);
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "PlotReport: gnuplot is not installed, so nothing is plotted\n");
  ASSERT_EQ(setenv("PATH", saved.c_str(), 1), 0);
}

TEST(PlotReportTest, KeepsItsPointsWhenResumed) {
  const TempFolder folder;
  Curves curves;
  for (const int end : {3, 8}) {
    ScriptedTraining training({end, "iteration"});
    report_values(training);
    const PlotReport& plot = training.trainer.extend(PlotReport(kKeys));
    if (end == 8) {
      serializers::load_npz(folder.file("snapshot"), training.trainer);
    }
    training.trainer.run();
    serializers::save_npz(folder.file("snapshot"), training.trainer);
    curves = plot.curves();
  }
  ScriptedTraining whole({8, "iteration"});
  report_values(whole);
  const PlotReport& expected = whole.trainer.extend(PlotReport(kKeys));
  whole.trainer.run();
  EXPECT_EQ(curves, expected.curves());
}

TEST(PlotReportTest, RejectsWhatItCannotPlot) {
  EXPECT_THAT(error_of<ValueError>([] { PlotReport({"a"}, {.marker = "?"}); }),
              HasSubstr("got '?'"));
  EXPECT_THAT(error_of<ValueError>([] { PlotReport({}); }),
              HasSubstr("y_keys to plot, got none"));
  EXPECT_THAT(
      error_of<ValueError>([] { PlotReport({"a"}, {.file_name = ""}); }),
      HasSubstr("a file_name, got none"));
  ScriptedTraining training({2, "iteration"});
  training.trainer.extend(PlotReport({"a"}, {.x_key = "hour"}));
  EXPECT_THAT(error_of<ValueError>([&] { training.trainer.run(); }),
              HasSubstr("'hour'"));
}

}  // namespace
}  // namespace catena::training::extensions
