#include "catena/training/html/line_chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "catena/array/core/error.h"
#include "catena/training/html/html_text.h"
#include "catena/training/number_text.h"

namespace catena::training::html {
namespace {

// In pixels: the total size and the margins around the plot.
constexpr double kWidth = 560;
constexpr double kHeight = 320;
constexpr double kLeft = 64;
constexpr double kRight = 12;
constexpr double kTop = 34;
constexpr double kBottom = 44;
constexpr double kLegendLine = 18;

constexpr int kTicks = 5;

// A colorblind-safe palette (Okabe and Ito).
constexpr std::array<std::string_view, 7> kColors = {
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#777"};

std::string pixels(double value) {
  return number_text(value, 1, std::chars_format::fixed);
}

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double x) {
    low = std::min(low, x);
    high = std::max(high, x);
  }
  bool is_empty() const { return low > high; }
  // Some room if all values are equal.
  void widen() {
    if (low < high) return;
    const double room = low == 0 ? 1 : std::abs(low) / 2;
    low -= room;
    high += room;
  }
};

// The position of x in the range, from 0 to 1. Values are halved, since the
// difference of two doubles may overflow.
double share(const Range& range, double x) {
  return (x / 2 - range.low / 2) / (range.high / 2 - range.low / 2);
}

// 1, 2 or 5 times a power of ten, about a fifth of the range.
double tick_step(const Range& range) {
  const double raw = (range.high / kTicks) - (range.low / kTicks);
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1, 2, 5}) {
    if (raw <= factor * power) return factor * power;
  }
  return 10 * power;
}

std::vector<double> ticks_of(const Range& range) {
  const double step = tick_step(range);
  std::vector<double> ticks;
  if (!std::isfinite(step) || !(step > 0)) return ticks;
  for (int i = 0; i <= 2 * kTicks; ++i) {
    const double tick = (std::ceil(range.low / step) + i) * step;
    if (!(tick <= range.high)) break;
    // Replaces a rounding error by 0.
    ticks.push_back(std::abs(tick) < step / 1e6 ? 0 : tick);
  }
  return ticks;
}

class Chart {
 public:
  Chart(const Range& x, const Range& y) : x_(x), y_(y) {}

  double px(double x) const {
    return kLeft + share(x_, x) * (kWidth - kLeft - kRight);
  }
  double py(double y) const {
    return kHeight - kBottom - share(y_, y) * (kHeight - kTop - kBottom);
  }

  std::string axes() const {
    std::string svg;
    for (const double tick : ticks_of(y_)) {
      const std::string y = pixels(py(tick));
      svg += str("<line class=\"grid\" x1=\"", pixels(kLeft), "\" x2=\"",
                 pixels(kWidth - kRight), "\" y1=\"", y, "\" y2=\"", y,
                 "\"/><text x=\"", pixels(kLeft - 6), "\" y=\"",
                 pixels(py(tick) + 4), "\" text-anchor=\"end\">",
                 number_text(tick, 4), "</text>\n");
    }
    for (const double tick : ticks_of(x_)) {
      const std::string x = pixels(px(tick));
      svg +=
          str("<line class=\"grid\" x1=\"", x, "\" x2=\"", x, "\" y1=\"",
              pixels(kTop), "\" y2=\"", pixels(kHeight - kBottom),
              "\"/><text x=\"", x, "\" y=\"", pixels(kHeight - kBottom + 16),
              "\" text-anchor=\"middle\">", number_text(tick, 7), "</text>\n");
    }
    return svg;
  }

  // A path, restarted after each gap; a single point is a dot.
  std::string curve(const Curve& curve, std::string_view color) const {
    std::string path;
    bool is_open = false;
    for (const auto& [x, y] : curve.points) {
      if (!std::isfinite(x) || !std::isfinite(y)) {
        is_open = false;
        continue;
      }
      path += str(is_open ? "L" : "M", pixels(px(x)), " ", pixels(py(y)));
      if (!is_open) path += "h0";
      is_open = true;
    }
    return str("<path class=\"curve\" stroke=\"", color, "\" d=\"", path,
               "\"/>\n");
  }

 private:
  Range x_;
  Range y_;
};

std::string legend(const Curve& curve, std::string_view color, double y) {
  double last = std::numeric_limits<double>::quiet_NaN();
  if (!curve.points.empty()) last = curve.points.back().second;
  return str("<line x1=\"", pixels(kLeft), "\" x2=\"", pixels(kLeft + 18),
             "\" y1=\"", pixels(y - 4), "\" y2=\"", pixels(y - 4),
             "\" stroke=\"", color, "\" stroke-width=\"3\"/><text x=\"",
             pixels(kLeft + 24), "\" y=\"", pixels(y), "\">",
             escaped(curve.name), ": ", number_text(last, 5), "</text>\n");
}

}  // namespace

std::string line_chart(const std::string& title, const std::string& x_label,
                       const std::vector<Curve>& curves) {
  Range x_range;
  Range y_range;
  for (const Curve& curve : curves) {
    for (const auto& [x, y] : curve.points) {
      if (!std::isfinite(x) || !std::isfinite(y)) continue;
      x_range.include(x);
      y_range.include(y);
    }
  }
  if (x_range.is_empty()) return "";
  x_range.widen();
  y_range.widen();
  const Chart chart(x_range, y_range);
  const double height =
      kHeight + kLegendLine * static_cast<double>(curves.size());
  std::string svg = str(
      "<svg role=\"img\" viewBox=\"0 0 ", kWidth, " ", height, "\" width=\"",
      kWidth, "\" height=\"", height, "\">\n<text class=\"title\" x=\"",
      pixels(kLeft), "\" y=\"20\">", escaped(title), "</text>\n", chart.axes(),
      "<text x=\"", pixels(kWidth / 2), "\" y=\"", pixels(kHeight - 10),
      "\" text-anchor=\"middle\">", escaped(x_label), "</text>\n");
  for (size_t i = 0; i < curves.size(); ++i) {
    const std::string_view color = kColors[i % kColors.size()];
    svg += chart.curve(curves[i], color);
    svg += legend(curves[i], color,
                  kHeight + kLegendLine * static_cast<double>(i) + 8);
  }
  return svg + "</svg>\n";
}

}  // namespace catena::training::html
