// Whatever extension writes a file, another one that would write it, too, is
// refused when it is added.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "catena/array/core/error.h"
#include "catena/tests/testing/error_of.h"
#include "catena/training/extensions/dump_graph.h"
#include "catena/training/extensions/html_report.h"
#include "catena/training/extensions/log_report.h"
#include "catena/training/extensions/plot_report.h"
#include "catena/training/extensions/snapshot.h"
#include "catena/training/extensions/trace_report.h"
#include "catena/training/extensions/variable_statistics_plot.h"
#include "catena/training/testing/scripted_training.h"

namespace catena::training::extensions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;
using testing::ScriptedTraining;

TEST(OutputFilesTest, NoTwoExtensionsHaveTheSame) {
  constexpr auto kFile = "same.png";
  using Extend = std::function<void(ScriptedTraining&)>;
  const Extend extends[] = {
      [](auto& it) {
        it.trainer.extend(DumpGraph("loss", {.filename = kFile}));
      },
      [](auto& it) { it.trainer.extend(HtmlReport({.file_name = kFile})); },
      [](auto& it) { it.trainer.extend(LogReport({.log_name = kFile})); },
      [](auto& it) {
        it.trainer.extend(PlotReport({"loss"}, {.file_name = kFile}));
      },
      [](auto& it) {
        it.trainer.extend(snapshot_object(it.updater.model, kFile));
      },
      [](auto& it) { it.trainer.extend(TraceReport({.filename = kFile})); },
      [](auto& it) {
        it.trainer.extend(
            VariableStatisticsPlot(it.updater.model, {.file_name = kFile}));
      }};
  for (const Extend& extend : extends) {
    ScriptedTraining training({2, "iteration"});
    extend(training);
    EXPECT_THAT(error_of<ValueError>([&] {
                  training.trainer.extend(LogReport({.log_name = kFile}),
                                          {.name = "other"});
                }),
                HasSubstr("expected another file than 'same.png' for 'other'"));
  }
}

}  // namespace
}  // namespace catena::training::extensions
