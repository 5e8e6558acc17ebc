#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The look that all plots share: sizes, margins and line widths of matplotlib's
// defaults, and curves that can be told apart in print without colours.
namespace catena::training::extensions {

// Text in gnuplot's single quotes: elsewhere it runs what is between backticks.
std::string gnuplot_string(const std::string& text);

enum class PlotFormat { kPng, kPdf, kSvg, kPs, kEps };

// The format that a file name ends in: png (also without a suffix), pdf, svg,
// ps or eps. Throws ValueError, starting with `operation`, when it ends in
// another, or is empty.
PlotFormat plot_format(std::string_view operation,
                       const std::string& file_name);

// Commands for the format, fonts, axes and grid of an image of that size in
// pixels, 100 to an inch.
std::string gnuplot_style(PlotFormat format, int64_t width, int64_t height,
                          bool grid);

// Colour, dash pattern and width of the curve of an index; equal pairs of
// colour and dashes only come back after 30 curves.
std::string gnuplot_line(size_t index);

// Commands for tics of the horizontal axis whose labels do not touch: an axis
// of `width` pixels that shows values from low to high. Empty, for gnuplot's
// own, unless low < high.
std::string gnuplot_x_tics(double low, double high, double width);

struct PlotCurve {
  std::string name;
  std::vector<std::pair<double, double>> points;  // finite
};

// Commands for margins, horizontal tics and a legend: inside the axes, in the
// corner where it hides least of the curves, with the top right first; below
// the axes where it would hide much of them in any corner.
std::string gnuplot_axes(const std::vector<PlotCurve>& curves, int64_t width,
                         int64_t height);

}  // namespace catena::training::extensions
