#include "catena/training/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/autograd/variable.h"
#include "catena/serializers/npz.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"
#include "catena/training/log_json.h"

namespace catena::training {
namespace {

using ::catena::testing::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TempFolder;

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(SummaryTest, HasMeanAndStandardDeviation) {
  Summary summary;
  for (const double x : {1.0, 2.0, 3.0, 6.0}) summary.add(x);
  EXPECT_DOUBLE_EQ(summary.compute_mean(), 3.0);
  const auto [mean, std] = summary.make_statistics();
  EXPECT_DOUBLE_EQ(mean, 3.0);
  EXPECT_DOUBLE_EQ(std, std::sqrt(3.5));
}

TEST(SummaryTest, TakesArraysVariablesAndWeights) {
  Summary summary;
  summary.add(array::full({}, 2.0f));
  summary.add(Variable(array::full({}, 5.0)), 2);
  EXPECT_DOUBLE_EQ(summary.compute_mean(), 4.0);
  EXPECT_THROW(summary.add(array::zeros({1})), ValueError);
}

TEST(SummaryTest, OfNothingIsNaN) {
  EXPECT_TRUE(std::isnan(Summary().compute_mean()));
  EXPECT_TRUE(std::isnan(Summary().make_statistics().std));
}

TEST(SummaryTest, OfEqualValuesHasNoDeviation) {
  Summary summary;
  for (int i = 0; i < 10; ++i) summary.add(0.1);
  EXPECT_NEAR(summary.make_statistics().std, 0, 1e-8);
}

TEST(DictSummaryTest, AveragesByName) {
  DictSummary summary;
  EXPECT_TRUE(summary.empty());
  summary.add({{"b", 1.0}, {"a", 10}, {"vector", array::zeros({3})}});
  summary.add({{"b", 3.0}, {"a", 30}});
  summary.add({{"b", 8.0}});
  const Observation means = summary.compute_mean();
  EXPECT_EQ(means.size(), 2u);
  EXPECT_EQ(means.begin()->first, "b");
  EXPECT_DOUBLE_EQ(means["b"].as_double(), 4.0);
  EXPECT_DOUBLE_EQ(means["a"].as_double(), 20.0);
  const Observation statistics = summary.make_statistics();
  EXPECT_DOUBLE_EQ(statistics["a.std"].as_double(), 10.0);
}

TEST(DictSummaryTest, ValuesCountByTheirWeights) {
  DictSummary summary;
  const Array loss = array::full({}, 1.0, Dtype::kFloat32);
  summary.add({{"loss", weighted(loss, 3)}, {"n", weighted(5, 2)}});
  summary.add({{"loss", weighted(5.0, 1)}, {"n", 8}});
  const Observation means = summary.compute_mean();
  EXPECT_DOUBLE_EQ(means["loss"].as_double(), 2.0);
  EXPECT_DOUBLE_EQ(means["n"].as_double(), 6.0);
}

TEST(DictSummaryTest, ContinuesToTheBit) {
  const TempFolder folder;
  const std::string file = folder.file("summary.npz");
  DictSummary summary;
  summary.add({{"main/loss", 0.1}, {"a/\"b\"", 1e300}});
  summary.add({{"main/loss", 0.7}});
  serializers::save_npz(file, summary);
  DictSummary loaded;
  loaded.add({{"other", 1}});
  serializers::load_npz(file, loaded);
  for (DictSummary* s : {&summary, &loaded}) s->add({{"main/loss", 1 / 3.0}});
  const Observation expected = summary.compute_mean();
  const Observation actual = loaded.compute_mean();
  ASSERT_EQ(actual.size(), expected.size());
  for (const auto& [name, value] : expected) {
    EXPECT_EQ(actual[name].as_double(), value.as_double()) << name;
  }
}

TEST(DictSummaryTest, HasTheOriginalsKeys) {
  const TempFolder folder;
  const std::string file = folder.file("summary.npz");
  DictSummary summary;
  summary.add({{"x", 1}, {"y", 2}});
  serializers::save_npz(file, summary);
  const array::NpzReader reader(file);
  EXPECT_THAT(reader.keys(),
              ElementsAre("_summaries/0/_x", "_summaries/0/_x2",
                          "_summaries/0/_n", "_summaries/1/_x",
                          "_summaries/1/_x2", "_summaries/1/_n", "_names"));
  EXPECT_EQ(reader.read_text("_names"), R"(["x", "y"])");
}

TEST(DictSummaryTest, RejectsOtherNames) {
  const TempFolder folder;
  const std::string file = folder.file("summary.npz");
  array::savez(file, {{"_names", std::string("[1]")}});
  DictSummary summary;
  EXPECT_THAT(error_of<IoError>([&] { serializers::load_npz(file, summary); }),
              HasSubstr("_names: expected a JSON list"));
  array::savez(file, {{"_names", std::string(R"(["x"])")}});
  EXPECT_THAT(error_of<IoError>([&] { serializers::load_npz(file, summary); }),
              HasSubstr("_summaries/0/_x"));
  EXPECT_TRUE(summary.empty());
}

TEST(LogJsonTest, LooksAsPythonWritesIt) {
  const std::vector<Observation> log = {
      {{"main/loss", 0.6754855910936991}, {"epoch", 1}, {"lr", 1e-5}},
      {{"nan", std::nan("")}, {"inf", -kInf}, {"whole", 2.0}}};
  EXPECT_EQ(log_to_json(log, 4), R"([
    {
        "main/loss": 0.6754855910936991,
        "epoch": 1,
        "lr": 1e-05
    },
    {
        "nan": NaN,
        "inf": -Infinity,
        "whole": 2.0
    }
])");
  EXPECT_EQ(log_to_json(log, 0),
            R"([{"main/loss": 0.6754855910936991, "epoch": 1, "lr": 1e-05}, )"
            R"({"nan": NaN, "inf": -Infinity, "whole": 2.0}])");
  EXPECT_EQ(log_to_json({}, 4), "[]");
}

TEST(LogJsonTest, ComesBackToTheBit) {
  const std::vector<Observation> log = {
      {{"a", 0.1}, {"NaN \" \\ \n \xc3\xa9", 5e-324}},
      {{"nan", std::nan("")}, {"inf", kInf}, {"i", int64_t{1} << 62}},
      {}};
  for (const int indent : {0, 4}) {
    const std::string text = log_to_json(log, indent);
    const std::vector<Observation> loaded = log_from_json(text);
    EXPECT_EQ(log_to_json(loaded, indent), text);
    EXPECT_EQ(loaded[0]["a"].as_double(), 0.1);
    EXPECT_EQ(*loaded[1]["i"].integer(), int64_t{1} << 62);
    EXPECT_TRUE(std::isnan(loaded[1]["nan"].as_double()));
    EXPECT_TRUE(loaded[0].contains("NaN \" \\ \n \xc3\xa9"));
  }
}

TEST(LogJsonTest, RejectsOtherTexts) {
  for (const std::string text :
       {"", "[", "{}", "[1]", "[[]]", R"([{"a": "b"}])", R"([{"a": [1]}])",
        R"([{"a": 1}] x)", R"([{"a": null}])", "[{\"a\": 1e999}]"}) {
    EXPECT_THROW(log_from_json(text), IoError) << text;
  }
  const std::string deep(1'000'000, '[');
  EXPECT_THROW(log_from_json(deep), IoError);
  EXPECT_THROW(names_from_json("[[]]"), IoError);
  EXPECT_THROW(curves_from_json(R"({"a": [[1, 2, 3]]})"), IoError);
}

TEST(LogJsonTest, CurvesComeBack) {
  const Curves curves = {{"loss", {{1, 0.5}, {2, kInf}}}, {"empty", {}}};
  const std::string text = curves_to_json(curves);
  EXPECT_EQ(text, R"({"empty": [], "loss": [[1.0, 0.5], [2.0, Infinity]]})");
  EXPECT_EQ(curves_from_json(text), curves);
}

}  // namespace
}  // namespace catena::training
