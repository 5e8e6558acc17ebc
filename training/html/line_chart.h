#pragma once

#include <string>
#include <utility>
#include <vector>

namespace catena::training::html {

struct Curve {
  std::string name;
  std::vector<std::pair<double, double>> points;  // by ascending x
};

// A line chart as an SVG element, with axes, a legend and the last value of
// each curve. Non-finite points are gaps. Empty if no curve has a finite point.
std::string line_chart(const std::string& title, const std::string& x_label,
                       const std::vector<Curve>& curves);

}  // namespace catena::training::html
