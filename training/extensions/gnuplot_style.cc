#include "catena/training/extensions/gnuplot_style.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string_view>

#include "catena/array/core/error.h"

namespace catena::training::extensions {
namespace {

// Distinct to the colour-blind (Okabe and Ito, 2008).
constexpr std::array<std::string_view, 6> kColors = {
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00"};
// gnuplot's solid, dashed, dash-dot, dash-dot-dot and dotted lines.
constexpr std::array<int, 5> kDashes = {1, 2, 4, 5, 3};

// The axes, as parts of the image, and the space around the curves, as in
// gnuplot_style.
constexpr double kLeft = 0.125;
constexpr double kRight = 0.95;
constexpr double kBottom = 0.125;
constexpr double kTop = 0.95;
constexpr double kOffset = 0.05;

// Estimated pixels of the legend.
constexpr double kCharacterWidth = 7.5;
constexpr double kSampleWidth = 62;
constexpr double kRowHeight = 21;
constexpr double kPadding = 20;
// Pixels between labels of tics.
constexpr double kTicGap = 25;

// A legend goes below the axes if it hides more than this part of a curve.
constexpr double kMaxHidden = 0.05;

struct Corner {
  std::string_view name;
  bool is_right;
  bool is_top;
};
constexpr std::array<Corner, 4> kCorners = {{{"right top", true, true},
                                             {"right bottom", true, false},
                                             {"left top", false, true},
                                             {"left bottom", false, false}}};

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  // The place of a value on its axis, in [0, 1].
  double place(double value) const {
    if (!(low < high)) return 0.5;
    return (kOffset + (value - low) / (high - low)) / (1 + 2 * kOffset);
  }
};

// The horizontal and the vertical range.
std::pair<Range, Range> ranges_of(const std::vector<PlotCurve>& curves) {
  std::pair<Range, Range> ranges;
  for (const PlotCurve& curve : curves) {
    for (const auto& [x, y] : curve.points) {
      ranges.first.add(x);
      ranges.second.add(y);
    }
  }
  return ranges;
}

// Points of the curves, as places on both axes, with some in between.
std::vector<std::pair<double, double>> places_of(
    const std::vector<PlotCurve>& curves) {
  const auto [xs, ys] = ranges_of(curves);
  constexpr int kSteps = 8;
  std::vector<std::pair<double, double>> places;
  for (const PlotCurve& curve : curves) {
    for (size_t i = 0; i < curve.points.size(); ++i) {
      const auto& [x, y] = curve.points[i];
      const auto& [last_x, last_y] = curve.points[i > 0 ? i - 1 : 0];
      for (int step = i > 0 ? 1 : kSteps; step <= kSteps; ++step) {
        const double part = static_cast<double>(step) / kSteps;
        places.emplace_back(xs.place(last_x + (x - last_x) * part),
                            ys.place(last_y + (y - last_y) * part));
      }
    }
  }
  return places;
}

size_t longest_name(const std::vector<PlotCurve>& curves) {
  size_t longest = 0;
  for (const PlotCurve& curve : curves) {
    longest = std::max(longest, curve.name.size());
  }
  return longest;
}

// The command for a format.
std::string terminal(PlotFormat format, int64_t width, int64_t height) {
  const std::string pixels =
      str("size ", width, ",", height, " font \"sans,11\"");
  const std::string inches =
      str("size ", static_cast<double>(width) / 100, "in,",
          static_cast<double>(height) / 100, "in font ");
  switch (format) {
    case PlotFormat::kPng:
      // Only the terminal of Cairo smooths lines and draws dashes.
      return str("if (strstrt(GPVAL_TERMINALS, \"pngcairo\") > 0) {\n",
                 "set terminal pngcairo ", pixels, " rounded\n",
                 "} else {\nset terminal png ", pixels, "\n}\n");
    case PlotFormat::kPdf:
      return str("set terminal pdfcairo ", inches, "\"sans,11\" rounded\n");
    case PlotFormat::kSvg:
      return str("set terminal svg ", pixels, " rounded\n");
    case PlotFormat::kPs:
    case PlotFormat::kEps:
      return str("set terminal postscript ",
                 format == PlotFormat::kEps ? "eps" : "portrait", " color ",
                 inches, "\"Helvetica,11\"\n");
  }
  return {};
}

// The best corner, or null where the legend belongs below the axes.
const Corner* best_corner(const std::vector<PlotCurve>& curves, int64_t width,
                          int64_t height) {
  const double part_of_width =
      (kSampleWidth + kPadding +
       kCharacterWidth * static_cast<double>(longest_name(curves))) /
      ((kRight - kLeft) * static_cast<double>(width));
  const double part_of_height =
      (kPadding + kRowHeight * static_cast<double>(curves.size())) /
      ((kTop - kBottom) * static_cast<double>(height));
  if (part_of_width > 1 || part_of_height > 1) return nullptr;
  const auto places = places_of(curves);
  const Corner* best = nullptr;
  double min_hidden = kMaxHidden * static_cast<double>(places.size()) /
                      static_cast<double>(curves.size());
  for (const Corner& corner : kCorners) {
    const auto is_hidden = [&](const auto& place) {
      const double from_side = corner.is_right ? 1 - place.first : place.first;
      const double from_end = corner.is_top ? 1 - place.second : place.second;
      return from_side < part_of_width && from_end < part_of_height;
    };
    const auto hidden =
        static_cast<double>(std::ranges::count_if(places, is_hidden));
    if (best == nullptr ? hidden <= min_hidden : hidden < min_hidden) {
      best = &corner;
      min_hidden = hidden;
    }
  }
  return best;
}

}  // namespace

std::string gnuplot_string(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') quoted += '\'';
    quoted += c == '\n' || c == '\0' ? ' ' : c;
  }
  return quoted + "'";
}

PlotFormat plot_format(std::string_view operation,
                       const std::string& file_name) {
  if (file_name.empty()) {
    raise<ValueError>(operation, ": expected a file_name, got none");
  }
  std::string suffix = std::filesystem::path(file_name).extension().string();
  std::ranges::transform(suffix, suffix.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  if (suffix.empty() || suffix == ".png") return PlotFormat::kPng;
  if (suffix == ".pdf") return PlotFormat::kPdf;
  if (suffix == ".svg") return PlotFormat::kSvg;
  if (suffix == ".ps") return PlotFormat::kPs;
  if (suffix == ".eps") return PlotFormat::kEps;
  raise<ValueError>(operation,
                    ": expected a file_name that ends in .png, .pdf, .svg, .ps "
                    "or .eps, got '",
                    file_name, "'");
}

std::string gnuplot_style(PlotFormat format, int64_t width, int64_t height,
                          bool grid) {
  return str(terminal(format, width, height),
             "set border linecolor rgb \"#404040\"\n"
             "set tics nomirror out scale 0.5\n"
             "set autoscale fix\nset offsets",
             " graph ", kOffset, ", graph ", kOffset, ", graph ", kOffset,
             ", graph ", kOffset, "\n",
             grid ? "set grid linecolor rgb \"#d0d0d0\" linetype 1 "
                    "linewidth 0.5\n"
                  : "");
}

std::string gnuplot_line(size_t index) {
  const size_t round = index / kColors.size();
  return str("linecolor rgb \"", kColors[index % kColors.size()],
             "\" dashtype ", kDashes[(index + round) % kDashes.size()],
             " linewidth 2");
}

std::string gnuplot_x_tics(double low, double high, double width) {
  const double span = high - low;
  if (!(span > 0) || !std::isfinite(span)) return "";
  int exponent = static_cast<int>(std::floor(std::log10(span))) - 1;
  for (;; ++exponent) {
    const std::string format = str("%.", std::max(0, -exponent), "f");
    const int characters =
        std::max(std::snprintf(nullptr, 0, format.c_str(), low),
                 std::snprintf(nullptr, 0, format.c_str(), high));
    const double max_tics = width / (kCharacterWidth * characters + kTicGap);
    for (const double factor : {1, 2, 5}) {
      const double step = factor * std::pow(10, exponent);
      if (span / step + 1 > max_tics && step < span) continue;
      return str("set xtics ", step, "\nset format x \"", format, "\"\n");
    }
  }
}

std::string gnuplot_axes(const std::vector<PlotCurve>& curves, int64_t width,
                         int64_t height) {
  const Range xs = ranges_of(curves).first;
  const std::string rows = " Left reverse samplen 3 spacing 1.2";
  const std::string text =
      str("set lmargin at screen ", kLeft, "\nset rmargin at screen ", kRight,
          "\nset tmargin at screen ", kTop, "\n",
          gnuplot_x_tics(xs.low, xs.high,
                         (kRight - kLeft) * static_cast<double>(width)));
  const Corner* corner = best_corner(curves, width, height);
  // gnuplot finds the bottom margin that leaves space for the legend.
  if (corner == nullptr) return text + "set key below" + rows + " height 1\n";
  // gnuplot takes characters for wider than they are.
  const double extra = 1 - 0.1 * static_cast<double>(longest_name(curves));
  const std::string key =
      str("set key inside ", corner->name, rows, " height 0.5 width ", extra,
          " box linecolor rgb \"#c0c0c0\" opaque");
  return text + str("set bmargin at screen ", kBottom, "\n",
                    "if (GPVAL_VERSION >= 5.4) {\n", key,
                    " fillcolor rgb \"#40ffffff\"\n} else {\n", key, "\n}\n");
}

}  // namespace catena::training::extensions
