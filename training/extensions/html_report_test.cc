#include "catena/training/extensions/html_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <regex>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/io/npz.h"
#include "catena/autograd/config.h"
#include "catena/functions/math/operators.h"
#include "catena/links/reporter.h"
#include "catena/serializers/npz.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"
#include "catena/training/log_json.h"
#include "catena/training/testing/scripted_training.h"

namespace catena::training::extensions {
namespace {

using ::catena::testing::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::read_file;
using testing::ScriptedTraining;
using testing::TempFolder;

constexpr const char* kHostile = "x/<script>alert('1')</script>&\"\x01";

void report_values(ScriptedTraining& training) {
  training.updater.on_update = [&](int64_t iteration) {
    const Variable x(array::full({}, 2.0f), {.name = "<x>"});
    report({{"loss", x * x / static_cast<double>(iteration)}},
           &training.updater.model);
    report({{"validation/main/loss", iteration},
            {kHostile, std::numeric_limits<double>::quiet_NaN()}});
  };
}

void prepare(ScriptedTraining& training,
             const HtmlReportOptions& options = {}) {
  report_values(training);
  training.trainer.extend(LogReport());
  training.trainer.extend(HtmlReport(options));
}

// The page of a training run with two iterations per epoch.
std::string page_of(ScriptedTraining& training,
                    const HtmlReportOptions& options = {}) {
  prepare(training, options);
  training.trainer.run();
  return read_file(training.trainer.out_path(options.file_name));
}

std::vector<std::string> all_of(const std::string& page,
                                const std::string& pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator it(page.begin(), page.end(), regex), end; it != end;
       ++it) {
    found.push_back((*it)[1]);
  }
  return found;
}

// Tags that are not closed or not nested properly.
std::vector<std::string> unbalanced_tags(const std::string& page) {
  std::vector<std::string> open;
  const std::regex tag(
      "<(/?)([a-z0-9]+)((?:\\s[^<>\"]*(?:\"[^<\"]*\"[^<>\"]*)*)?)>");
  for (std::sregex_iterator it(page.begin(), page.end(), tag), end; it != end;
       ++it) {
    const std::string name = (*it)[2];
    if ((*it)[1] == "/") {
      if (open.empty() || open.back() != name) return {"/" + name};
      open.pop_back();
    } else if (!std::string((*it)[3]).ends_with('/')) {
      open.push_back(name);
    }
  }
  return open;
}

TEST(HtmlReportTest, ShowsCurvesTableAndGraph) {
  ScriptedTraining training({6, "iteration"});
  const std::string page = page_of(training, {.title = "Run 1 & 2"});
  EXPECT_THAT(page, HasSubstr("<title>Run 1 &amp; 2</title>"));
  EXPECT_THAT(unbalanced_tags(page), IsEmpty());
  EXPECT_THAT(all_of(page, "class=\"title\"[^>]*>([^<]*)<"),
              ElementsAre("loss"));
  EXPECT_THAT(all_of(page, ">([^<]*: [^<]*)</text>"),
              ::testing::IsSupersetOf(
                  {"main/loss: 0.73333", "validation/main/loss: 5.5"}));
  EXPECT_THAT(
      all_of(page, "<th>([^<]*)</th>"),
      ElementsAre("epoch", "iteration", "main/loss", "validation/main/loss",
                  "x/&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;"
                  "&amp;&quot;?",
                  "elapsed_time"));
  EXPECT_THAT(all_of(page, "<tr><td>([^<]*)</td>"), ElementsAre("1", "2", "3"));
  EXPECT_THAT(all_of(page, "<p>(epoch: 3; iteration: 6; )elapsed_time: "),
              ::testing::SizeIs(1));
  EXPECT_THAT(page, HasSubstr("<title>&lt;x&gt;: "));
  EXPECT_FALSE(config().keep_graph_on_report);
}

// As a browser computes it: as many columns as fit with their least width and
// the gaps between them. What may be wider than the window scrolls by itself.
TEST(HtmlReportTest, AWindowOf1100PixelsHasTwoColumnsOfCharts) {
  ScriptedTraining training({6, "iteration"});
  const std::string page = page_of(training);
  const auto number = [&](const std::string& pattern) {
    const auto found = all_of(page, pattern);
    EXPECT_THAT(found, ::testing::SizeIs(1)) << pattern;
    return found.empty() ? 0.0 : std::stod(found[0]);
  };
  const double em = number(R"(font: (\d+)px sans-serif)");
  const double margin = number(R"(margin: ([\d.]+)em)") * em;
  const double gap = number(R"(gap: ([\d.]+)em)") * em;
  const double least = number(R"(minmax\(min\(100%, ([\d.]+)em\), 1fr\))") * em;
  EXPECT_EQ(std::floor((1100 - 2 * margin + gap) / (least + gap)), 2);
  EXPECT_THAT(all_of(page, "\\.wide \\{ overflow-x: (\\w+);"),
              ElementsAre("auto"));
  EXPECT_THAT(all_of(page, "<div class=\"wide\"><(\\w+)"),
              ElementsAre("table", "svg"));
}

TEST(HtmlReportTest, NeedsNoNetworkAndNoScripts) {
  ScriptedTraining training({6, "iteration"});
  const std::string page = page_of(training);
  for (const char* word : {"<script", "http:", "https:", "url(",
                           "src=", "href=", "@import", "onload"}) {
    EXPECT_THAT(page, Not(HasSubstr(word)));
  }
}

// Each point of the curve is in the chart at the right position.
TEST(HtmlReportTest, DrawsPointsInProportion) {
  ScriptedTraining training({6, "iteration"});
  const std::string page = page_of(training);
  const auto paths = all_of(page, "<path class=\"curve\"[^>]* d=\"([^\"]*)\"");
  ASSERT_EQ(paths.size(), 2u);
  // The curve through 1.5, 3.5 and 5.5 at 2, 4 and 6, between 0.733 and 5.5.
  const std::regex number("[0-9.]+");
  std::vector<double> numbers;
  for (std::sregex_iterator it(paths[1].begin(), paths[1].end(), number), end;
       it != end; ++it) {
    numbers.push_back(std::stod(it->str()));
  }
  // x, y, the "h0" of the first point, then x, y twice.
  ASSERT_EQ(numbers.size(), 7u);
  const auto height = [](double y) {
    return 276 - (y - 0.7333) / 4.7667 * 242;
  };
  EXPECT_NEAR(numbers[0], 64, 0.1);
  EXPECT_NEAR(numbers[1], height(1.5), 0.1);
  EXPECT_NEAR(numbers[3], 306, 0.1);
  EXPECT_NEAR(numbers[4], height(3.5), 0.1);
  EXPECT_NEAR(numbers[5], 548, 0.1);
  EXPECT_NEAR(numbers[6], 34, 0.1);
}

TEST(HtmlReportTest, TheTableHasTheLastRows) {
  ScriptedTraining training({6, "iteration"});
  const std::string page =
      page_of(training, {.file_name = "short.html", .max_rows = 2});
  EXPECT_THAT(page, HasSubstr("The last 2 of 3 entries."));
  EXPECT_THAT(all_of(page, "<tr><td>([^<]*)</td>"), ElementsAre("2", "3"));
}

TEST(HtmlReportTest, GraphsAreLeftOutWhereThereAreNone) {
  for (const char* name : {"", "validation/main/loss", "none"}) {
    ScriptedTraining training({2, "iteration"});
    EXPECT_THAT(page_of(training, {.graph_of = name}),
                Not(HasSubstr("Graph of")));
    EXPECT_FALSE(config().keep_graph_on_report);
  }
}

TEST(HtmlReportTest, ShowsTextsWithTheLastOneFirst) {
  ScriptedTraining training({4, "iteration"});
  prepare(training);
  // Behind the report: it still has the last text.
  training.trainer.extend(TextSamples(
      [&] { return str("<b>", training.trainer.updater().iteration(), "&"); },
      {.print = false}));
  training.trainer.run();
  EXPECT_THAT(read_file(training.trainer.out_path("report.html")),
              HasSubstr("<h2>Texts</h2>\n"
                        "<h3>Iteration 4</h3>\n<pre>&lt;b&gt;4&amp;</pre>\n"
                        "<h3>Iteration 2</h3>\n<pre>&lt;b&gt;2&amp;</pre>\n"));
}

TEST(HtmlReportTest, HasNoTextsWithoutSamples) {
  ScriptedTraining training({2, "iteration"});
  EXPECT_THAT(page_of(training), Not(HasSubstr("Texts")));
}

TEST(HtmlReportTest, IsTheSameWhenResumed) {
  const TempFolder folder;
  const auto without_times = [](std::string page) {
    page = std::regex_replace(page, std::regex("elapsed_time: [^;]*;"), "");
    return std::regex_replace(page, std::regex("<td>[^<]*</td></tr>"), "");
  };
  ScriptedTraining whole({6, "iteration"});
  const std::string expected = without_times(page_of(whole));
  for (const int cut : {1, 3, 4}) {
    SCOPED_TRACE(cut);
    ScriptedTraining first({cut, "iteration"});
    prepare(first);
    first.trainer.run();
    serializers::save_npz(folder.file("s"), first.trainer);
    ScriptedTraining second({6, "iteration"});
    prepare(second);
    serializers::load_npz(folder.file("s"), second.trainer);
    second.trainer.run();
    EXPECT_EQ(without_times(read_file(second.trainer.out_path("report.html"))),
              expected);
  }
}

TEST(HtmlReportTest, RefusesGraphsThatDoNotFit) {
  const TempFolder folder;
  ScriptedTraining training({2, "iteration"});
  page_of(training);
  serializers::save_npz(folder.file("good"), training.trainer);
  const auto expect_refused = [&](const char* key, const Array& value,
                                  const char* message) {
    auto entries = array::load_npz(folder.file("good"));
    entries.at(std::string("extensions/HtmlReport/") + key) = value;
    array::savez(folder.file("bad"),
                 array::NpzItems(entries.begin(), entries.end()));
    ScriptedTraining other({2, "iteration"});
    other.trainer.extend(LogReport());
    other.trainer.extend(HtmlReport());
    EXPECT_THAT(error_of<IoError>([&] {
                  serializers::load_npz(folder.file("bad"), other.trainer);
                }),
                HasSubstr(message));
  };
  expect_refused("_graph_edges", array::array({{0, 99}}).astype(Dtype::kInt64),
                 "ascending positions of 5 nodes");
  expect_refused("_graph_edges", array::array({{1, 1}}).astype(Dtype::kInt64),
                 "got 1 and 1");
  expect_refused("_graph_edges", array::zeros({3}), "int64 of shape (N, 2)");
  expect_refused("_graph_labels", array::zeros({3}), "expected text");
}

TEST(HtmlReportTest, NeedsALogReport) {
  ScriptedTraining training({2, "iteration"});
  training.trainer.extend(HtmlReport({.log_report = "Log"}));
  EXPECT_THAT(error_of<ValueError>([&] {
                training.trainer.run({.show_loop_exception_msg = false});
              }),
              HasSubstr("got 'Log'"));
}

TEST(HtmlReportTest, RejectsBadArguments) {
  const auto expect_error = [](const HtmlReportOptions& options,
                               const char* message) {
    EXPECT_THAT(error_of<ValueError>([&] { HtmlReport report(options); }),
                HasSubstr(message));
  };
  expect_error({.file_name = ""}, "a file_name, got none");
  expect_error({.x_key = ""}, "a x_key, got none");
  expect_error({.max_rows = 0}, "max_rows >= 1, got 0");
}

}  // namespace
}  // namespace catena::training::extensions
