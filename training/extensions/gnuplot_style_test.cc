#include "catena/training/extensions/gnuplot_style.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"
#include "catena/training/extensions/gnuplot_job.h"

namespace catena::training::extensions {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::read_file;
using testing::TempFolder;

template <class F>
PlotCurve curve_of(const std::string& name, F f) {
  PlotCurve curve{name, {}};
  for (int x = 1; x <= 20; ++x) curve.points.emplace_back(x, f(x));
  return curve;
}
double falling(double x) { return std::exp(-x / 5); }
double rising(double x) { return 1 - std::exp(-x / 5); }

std::string legend_of(const std::vector<PlotCurve>& curves) {
  return gnuplot_axes(curves, 640, 480);
}

TEST(GnuplotStyleTest, TheLegendIsWhereTheCurvesAreNot) {
  EXPECT_THAT(legend_of({curve_of("main/loss", falling)}),
              HasSubstr("set key inside right top "));
  EXPECT_THAT(legend_of({curve_of("main/accuracy", rising)}),
              HasSubstr("set key inside right bottom "));
  EXPECT_THAT(legend_of({curve_of("a", [](double x) { return x; }),
                         curve_of("b", [](double) { return 0.0; })}),
              HasSubstr("set key inside left top "));
  EXPECT_THAT(legend_of({curve_of("a", falling), curve_of("b", rising),
                         curve_of("c", [](double) { return 1.0; })}),
              HasSubstr("set key inside left bottom "));
}

TEST(GnuplotStyleTest, ALegendThatWouldHideMuchIsBelowTheAxes) {
  EXPECT_THAT(legend_of({curve_of(std::string(80, 'n'), falling)}),
              HasSubstr("set key below "));
  std::vector<PlotCurve> many;
  for (int i = 0; i < 20; ++i) many.push_back(curve_of(str(i), falling));
  EXPECT_THAT(legend_of(many), HasSubstr("set key below "));
  std::vector<PlotCurve> zigzags;
  for (int i = 0; i < 6; ++i) {
    zigzags.push_back(
        curve_of("validation/main/accuracy", [](int x) { return x % 2; }));
  }
  EXPECT_THAT(legend_of(zigzags), HasSubstr("set key below "));
  EXPECT_THAT(legend_of(zigzags), Not(HasSubstr("bmargin")));
}

TEST(GnuplotStyleTest, APointOrALineHasALegend) {
  EXPECT_THAT(legend_of({{"a", {{3, 4}}}}), HasSubstr("inside right top "));
  EXPECT_THAT(legend_of({curve_of("a", [](double) { return 7.0; })}),
              HasSubstr("inside right top "));
}

TEST(GnuplotStyleTest, ThirtyCurvesDifferInColourOrDashes) {
  std::set<std::string> lines;
  for (size_t i = 0; i < 30; ++i) lines.insert(gnuplot_line(i));
  EXPECT_EQ(lines.size(), 30u);
  EXPECT_EQ(gnuplot_line(0),
            "linecolor rgb \"#0072b2\" dashtype 1 linewidth 2");
  EXPECT_EQ(gnuplot_line(30), gnuplot_line(0));
}

TEST(GnuplotStyleTest, LabelsOfTicsDoNotTouch) {
  EXPECT_EQ(gnuplot_x_tics(0, 20, 500), "set xtics 2\nset format x \"%.0f\"\n");
  EXPECT_EQ(gnuplot_x_tics(600, 1800000, 500),
            "set xtics 5e+05\nset format x \"%.0f\"\n");
  EXPECT_EQ(gnuplot_x_tics(0, 1, 500),
            "set xtics 0.2\nset format x \"%.1f\"\n");
  EXPECT_EQ(gnuplot_x_tics(0, 1, 20), "set xtics 1\nset format x \"%.0f\"\n");
  EXPECT_EQ(gnuplot_x_tics(3, 3, 500), "");
}

TEST(GnuplotStyleTest, TextIsEscaped) {
  EXPECT_EQ(gnuplot_string("a \"b\"\\\nc"), "'a \"b\"\\ c'");
  EXPECT_EQ(gnuplot_string("it's `ls`"), "'it''s `ls`'");
}

TEST(GnuplotStyleTest, TheSuffixIsTheFormat) {
  EXPECT_EQ(plot_format("Plot", "loss"), PlotFormat::kPng);
  EXPECT_EQ(plot_format("Plot", "a.b/loss.PNG"), PlotFormat::kPng);
  EXPECT_EQ(plot_format("Plot", "loss.v2.pdf"), PlotFormat::kPdf);
  EXPECT_EQ(plot_format("Plot", "loss.svg"), PlotFormat::kSvg);
  EXPECT_EQ(plot_format("Plot", "loss.ps"), PlotFormat::kPs);
  EXPECT_EQ(plot_format("Plot", "loss.eps"), PlotFormat::kEps);
  EXPECT_THAT(
      ::catena::testing::error_of<ValueError>(
          [] { plot_format("Plot", "loss.gif"); }),
      HasSubstr("Plot: expected a file_name that ends in .png, .pdf, .svg, "
                ".ps or .eps, got 'loss.gif'"));
  EXPECT_THROW(plot_format("Plot", ""), ValueError);
}

TEST(GnuplotStyleTest, GnuplotAcceptsEveryLegend) {
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  const std::vector<std::vector<PlotCurve>> cases = {
      {curve_of("main/loss", falling)},
      {curve_of("main/accuracy", rising)},
      {curve_of(std::string(80, 'n'), falling)},
      {{"a", {{3, 4}}}}};
  for (const auto& curves : cases) {
    SCOPED_TRACE(curves[0].name);
    const TempFolder folder;
    const std::string file = folder.file("plot.png");
    std::string script = gnuplot_style(PlotFormat::kPng, 640, 480, true);
    script += gnuplot_axes(curves, 640, 480) + "$d << EOD\n";
    for (const auto& [x, y] : curves[0].points) script += str(x, " ", y, "\n");
    script += "EOD\nplot $d with linespoints " + gnuplot_line(0) + " title " +
              gnuplot_string(curves[0].name) + "\n";
    GnuplotJob("test", script, file).wait();
    const std::string png = read_file(file);
    EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
    EXPECT_EQ(png.substr(16, 8), std::string("\0\0\x02\x80\0\0\x01\xe0", 8));
  }
}

TEST(GnuplotStyleTest, AnImageThatIsReplacedKeepsItsPermissions) {
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  namespace fs = std::filesystem;
  const TempFolder folder;
  const std::string file = folder.file("plot.png");
  std::ofstream(file) << "old";
  const fs::perms own = fs::perms::owner_read | fs::perms::owner_write;
  fs::permissions(file, own);
  GnuplotJob("test",
             gnuplot_style(PlotFormat::kPng, 640, 480, true) + "plot x\n", file)
      .wait();
  EXPECT_EQ(read_file(file).substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(fs::status(file).permissions(), own);
}

TEST(GnuplotStyleTest, GnuplotRunsNothingInTextAndPaths) {
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  const TempFolder folder;
  const std::string command = "`touch " + folder.file("ran") + "`";
  const std::string path = folder.file("it's `touch ran` \\");
  std::filesystem::create_directory(path);
  const std::string file = path + "/plot.png";
  GnuplotJob("test",
             gnuplot_style(PlotFormat::kPng, 640, 480, true) + "set xlabel " +
                 gnuplot_string(command) + " noenhanced\nplot x title " +
                 gnuplot_string("it's " + command + "\\") + " noenhanced\n",
             file)
      .wait();
  EXPECT_EQ(read_file(file).substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_FALSE(std::filesystem::exists(folder.file("ran")));
  EXPECT_FALSE(std::filesystem::exists("ran"));
}

}  // namespace
}  // namespace catena::training::extensions
