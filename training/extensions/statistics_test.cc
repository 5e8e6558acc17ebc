#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/io/npz.h"
#include "catena/array/reduction/reduce.h"
#include "catena/links/chain.h"
#include "catena/links/reporter.h"
#include "catena/serializers/npz.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"
#include "catena/training/extensions/parameter_statistics.h"
#include "catena/training/extensions/variable_statistics_plot.h"
#include "catena/training/testing/scripted_training.h"

namespace catena::training::extensions {
namespace {

using array::arange;
using array::full_like;
using ::catena::testing::error_of;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::read_file;
using testing::ScriptedTraining;
using testing::TempFolder;
using testing::Weight;
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

// The observation of the last iteration: names and values.
std::vector<std::pair<std::string, double>> observed(const Trainer& trainer) {
  std::vector<std::pair<std::string, double>> values;
  for (const auto& [name, value] : trainer.observation()) {
    values.emplace_back(name, value.as_double());
  }
  return values;
}

class LateNet : public Chain<LateNet> {
 public:
  LateNet() : l1(this, "l1"), late(this, "late", 0.0) {}
  Child<Weight> l1;
  Param late;  // never initialized
};

TEST(ParameterStatisticsTest, ObservesStatisticsOfDataAndGradients) {
  ScriptedTraining training({1, "iteration"});
  LateNet net;
  net.l1->W.set_data(arange(5, Dtype::kFloat32));
  net.l1->W.set_grad(array::zeros({5}, Dtype::kFloat32));
  training.trainer.extend(
      ParameterStatistics(net, {.trigger = {1, "iteration"}}));
  training.trainer.run();
  const auto values = observed(training.trainer);
  std::vector<std::string> names;
  for (const auto& [name, value] : values) names.push_back(name);
  std::vector<std::string> expected;
  for (const std::string part : {"data", "grad"}) {
    for (const char* name : {"mean", "std", "min", "max", "zeros"}) {
      expected.push_back("/l1/W/" + part + "/" + name);
    }
    for (int i = 0; i < 7; ++i) {
      expected.push_back(str("/l1/W/", part, "/percentile/", i));
    }
  }
  EXPECT_EQ(names, expected);
  const Observation& observation = training.trainer.observation();
  const auto expect_value = [&](const char* name, double value) {
    EXPECT_THAT(observation[name].as_double(), DoubleNear(value, 1e-6)) << name;
  };
  expect_value("/l1/W/data/mean", 2);
  expect_value("/l1/W/data/std", std::sqrt(2.0));
  expect_value("/l1/W/data/min", 0);
  expect_value("/l1/W/data/max", 4);
  expect_value("/l1/W/data/zeros", 1);
  // numpy 1.24: np.percentile(np.arange(5), [0.13, 15.87, 50, 99.87])
  expect_value("/l1/W/data/percentile/0", 0.0052);
  expect_value("/l1/W/data/percentile/2", 0.6348);
  expect_value("/l1/W/data/percentile/3", 2);
  expect_value("/l1/W/data/percentile/6", 3.9948);
  expect_value("/l1/W/grad/zeros", 5);
}

TEST(ParameterStatisticsTest, AveragesOverItsTriggersInterval) {
  const Statistic sum = [](const Array& x) { return array::sum(x); };
  for (int cut = 1; cut < 4; ++cut) {
    SCOPED_TRACE(cut);
    const TempFolder folder;
    std::vector<double> means;
    for (const int end : {cut, 4}) {
      ScriptedTraining training({end, "iteration"});
      training.updater.on_update = [&](int64_t iteration) {
        Param& W = training.updater.model.W;
        W.set_data(full_like(W.data(), static_cast<double>(iteration)));
      };
      training.trainer.extend(ParameterStatistics(training.updater.model,
                                                  {.statistics = {{"sum", sum}},
                                                   .report_grads = false,
                                                   .prefix = "p"}));
      training.trainer.extend([&](Trainer& trainer) {
        if (const auto* value = trainer.observation().find("p/W/data/sum")) {
          means.push_back(value->as_double());
        }
      });
      if (end == 4) serializers::load_npz(folder.file("s"), training.trainer);
      training.trainer.run();
      serializers::save_npz(folder.file("s"), training.trainer);
    }
    EXPECT_THAT(means, ElementsAre(3, 7));  // of 2, 4 and of 6, 8
  }
}

TEST(ParameterStatisticsTest, TakesMoreStatistics) {
  ScriptedTraining training({1, "iteration"});
  ParameterStatistics statistics(
      training.updater.model, {.statistics = {}, .trigger = {1, "iteration"}});
  statistics.register_statistics(
      "sum", [](const Array&) { return array::full({}, -1.0f); });
  statistics.register_statistics("sum",
                                 [](const Array& x) { return array::sum(x); });
  training.trainer.extend(std::move(statistics));
  training.trainer.run();
  EXPECT_THAT(observed(training.trainer),
              ElementsAre(std::pair(std::string("/W/data/sum"), 2.0)));
}

TEST(ParameterStatisticsTest, LeavesOutArraysWithNanWhereAsked) {
  int calls = 0;
  const Statistic counts = [&](const Array& x) {
    ++calls;
    return array::sum(x);
  };
  for (const bool skips : {true, false}) {
    ScriptedTraining training({1, "iteration"});
    Param& W = training.updater.model.W;
    W.set_data(full_like(W.data(), kNotANumber));
    training.trainer.extend(ParameterStatistics(
        training.updater.model, {.statistics = {{"sum", counts}},
                                 .trigger = {1, "iteration"},
                                 .skip_nan_params = skips}));
    training.trainer.run();
    EXPECT_TRUE(
        std::isnan(training.trainer.observation()["/W/data/sum"].as_double()));
    EXPECT_EQ(calls, skips ? 0 : 1);
  }
}

TEST(ParameterStatisticsTest, RejectsBadArguments) {
  Weight weight;
  const auto expect_error = [](const auto& make, const char* message) {
    EXPECT_THAT(error_of<ValueError>(make), HasSubstr(message));
  };
  const Statistic sum = [](const Array& x) { return array::sum(x); };
  expect_error([] { ParameterStatistics(std::vector<Link*>{}); },
               "expected links, got none");
  expect_error([] { ParameterStatistics(std::vector<Link*>{nullptr}); },
               "expected links, got a null pointer");
  expect_error(
      [&] {
        ParameterStatistics(weight, {.statistics = {{"a", nullptr}}});
      },
      "expected a function for 'a', got none");
  expect_error(
      [&] {
        ParameterStatistics(weight, {.statistics = {{"a", sum}, {"a", sum}}});
      },
      "unique statistic names, got 'a' twice");
  expect_error(
      [&] { ParameterStatistics(weight).register_statistics("b", nullptr); },
      "expected a function for 'b', got none");
}

const VariableStatisticsPlotOptions kFew = {.percentile_sigmas = {0, 50, 100}};

TEST(VariableStatisticsPlotTest, GathersStatisticsOfAllVariablesTogether) {
  ScriptedTraining training({2, "iteration"});
  const Variable x(arange(3, Dtype::kFloat32));
  const Variable y(full_like(arange(2, Dtype::kFloat32), 6));
  training.updater.on_update = [&](int64_t iteration) {
    if (iteration == 2) x.set_grad(arange(3, Dtype::kFloat32) * 2.0f);
  };
  const auto& plot =
      training.trainer.extend(VariableStatisticsPlot({x, y}, kFew));
  training.trainer.run();
  ASSERT_EQ(plot.samples().size(), 2u);
  const auto& [iteration, statistics] = plot.samples()[1];
  EXPECT_EQ(iteration, 2);
  // Statistics of 0, 1, 2, 6, 6, and of the gradients 0, 2, 4.
  EXPECT_THAT(statistics,
              ElementsAre(3, DoubleNear(std::sqrt(6.4), 1e-6), 0, 2, 6, 2,
                          DoubleNear(std::sqrt(8.0 / 3), 1e-6), 0, 2, 4));
  EXPECT_TRUE(std::isnan(plot.samples()[0].statistics[5]));
}

TEST(VariableStatisticsPlotTest, MakesAPng) {
  if (!VariableStatisticsPlot::available()) {
    GTEST_SKIP() << "gnuplot is not installed";
  }
  ScriptedTraining training({4, "iteration"});
  Weight& model = training.updater.model;
  training.updater.on_update = [&](int64_t) {
    model.W.set_grad(full_like(model.W.data(), 0.5));
  };
  const auto& plot = training.trainer.extend(
      VariableStatisticsPlot(model, {.file_name = "W.png"}));
  training.trainer.run();
  const std::string file = training.folder.file("again.png");
  plot.save_plot(file);
  for (const auto& png :
       {read_file(training.trainer.out_path("W.png")), read_file(file)}) {
    EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
    EXPECT_EQ(png.substr(16, 8), std::string("\0\0\x03\xe8\0\0\x03\x20", 8));
  }
}

TEST(VariableStatisticsPlotTest, WarnsOnceWhereGnuplotIsMissing) {
  const char* path = getenv("PATH");
  const std::string saved = path != nullptr ? path : "";
  ASSERT_EQ(setenv("PATH", "/nowhere", 1), 0);
  EXPECT_FALSE(VariableStatisticsPlot::available());
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i) {
    ScriptedTraining training({2, "iteration"});
    training.trainer.extend(VariableStatisticsPlot(training.updater.model));
    training.trainer.run();
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "VariableStatisticsPlot: gnuplot is not installed, so nothing is "
            "plotted\n");
  ASSERT_EQ(setenv("PATH", saved.c_str(), 1), 0);
}

// The iterations of the samples of a run that is saved and resumed after `cut`
// iterations.
std::vector<int64_t> sampled(int cut, int iterations, int64_t max) {
  const TempFolder folder;
  std::vector<int64_t> result;
  for (const int end : {cut, iterations}) {
    ScriptedTraining training({end, "iteration"});
    const auto& plot = training.trainer.extend(
        VariableStatisticsPlot(training.updater.model, {.max_sample_size = max,
                                                        .report_grad = false,
                                                        .percentile_sigmas = {},
                                                        .trigger = {}}));
    if (end == iterations && cut != iterations) {
      serializers::load_npz(folder.file("s"), training.trainer);
    }
    training.trainer.run();
    serializers::save_npz(folder.file("s"), training.trainer);
    result.clear();
    for (const auto& sample : plot.samples()) {
      result.push_back(sample.iteration);
    }
  }
  return result;
}

TEST(VariableStatisticsPlotTest, KeepsARandomChoiceOfIterations) {
  const std::vector<int64_t> whole = sampled(60, 60, 20);
  EXPECT_EQ(whole.size(), 20u);
  EXPECT_TRUE(std::ranges::is_sorted(whole));
  // A uniform sample of 20 of 60 almost surely has between 2 and 12 of each 20.
  for (int64_t begin = 0; begin < 60; begin += 20) {
    const auto count = std::ranges::count_if(
        whole, [&](int64_t i) { return begin < i && i <= begin + 20; });
    EXPECT_GE(count, 2);
    EXPECT_LE(count, 12);
  }
  for (const int cut : {5, 20, 33}) EXPECT_EQ(sampled(cut, 60, 20), whole);
}

TEST(VariableStatisticsPlotTest, RefusesSamplesThatDoNotFit) {
  const TempFolder folder;
  ScriptedTraining training({2, "iteration"});
  training.trainer.extend(VariableStatisticsPlot(training.updater.model, kFew));
  training.trainer.run();
  serializers::save_npz(folder.file("s"), training.trainer);
  ScriptedTraining other({2, "iteration"});
  other.trainer.extend(VariableStatisticsPlot(other.updater.model));
  EXPECT_THAT(error_of<IoError>([&] {
                serializers::load_npz(folder.file("s"), other.trainer);
              }),
              HasSubstr("expected an array (N, 23)"));
  auto entries = array::load_npz(folder.file("s"));
  ScriptedTraining third({2, "iteration"});
  const auto& plot =
      third.trainer.extend(VariableStatisticsPlot(third.updater.model, kFew));
  const auto load = [&](double iteration) {
    entries.at("extensions/VariableStatisticsPlot/_samples") =
        array::full({1, 11}, iteration);
    array::savez(folder.file("s"),
                 array::NpzItems(entries.begin(), entries.end()));
    serializers::load_npz(folder.file("s"), third.trainer);
  };
  for (const double wrong : {kNotANumber, -1.0, 0x1.0000000000001p52}) {
    EXPECT_THAT(error_of<IoError>([&] { load(wrong); }),
                HasSubstr("iterations in its first column"))
        << wrong;
  }
  for (const double least_or_most : {0.0, 0x1p52}) {
    load(least_or_most);
    ASSERT_EQ(plot.samples().size(), 1u);
    EXPECT_EQ(plot.samples()[0].iteration, least_or_most);
  }
}

TEST(VariableStatisticsPlotTest, RejectsBadArguments) {
  const Variable x(arange(3, Dtype::kFloat32));
  const auto expect_error = [&](const VariableStatisticsPlotOptions& options,
                                const char* message) {
    EXPECT_THAT(
        error_of<ValueError>([&] { VariableStatisticsPlot({x}, options); }),
        HasSubstr(message));
  };
  expect_error({.report_data = false, .report_grad = false},
               "expected report_data or report_grad, got neither");
  expect_error({.plot_mean = false, .plot_std = false, .percentile_sigmas = {}},
               "got none of them");
  expect_error({.percentile_sigmas = {50, 101}}, "in [0, 100], got 101");
  expect_error({.max_sample_size = 0}, "max_sample_size >= 1, got 0");
  expect_error({.width = 0}, "width >= 1, got 0");
  expect_error({.height = -1}, "height >= 1, got -1");
  expect_error({.file_name = ""}, "a file_name, got none");
  EXPECT_THAT(error_of<ValueError>(
                  [] { VariableStatisticsPlot(std::vector<Variable>{}); }),
              HasSubstr("variables, got none"));
  EXPECT_THAT(
      error_of<ValueError>([] { VariableStatisticsPlot({Variable()}); }),
      HasSubstr("an undefined one"));
}

}  // namespace
}  // namespace catena::training::extensions
