#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "catena/array/array.h"

// Pictures for data sets that programs make up.
namespace catena::examples {

// Red, green and blue, each in [0, 255].
using Color = std::array<float, 3>;

// The shapes that can be drawn: "circle", "square", "triangle", "star",
// "cross", "ring", "half-moon", "diamond", in this order.
const std::vector<std::string>& shape_names();

struct ShapePlace {
  // The center, in pixels from the top left corner of the picture.
  double x;
  double y;
  // The distance of the center from the farthest point, in pixels.
  double radius;
  // Clockwise, in radians.
  double angle = 0;
};

struct Line {
  // Both ends, in pixels from the top left corner of the picture.
  double x0;
  double y0;
  double x1;
  double y1;
  // Its thickness, in pixels.
  double width = 1;
};

// An RGB picture under construction.
class Picture {
 public:
  // Throws ValueError unless both sizes are at least 1.
  Picture(int64_t height, int64_t width, const Color& background);

  // Draws a filled shape with smooth edges over what is there; what lies
  // outside the picture is cut off. Throws ValueError when there is no shape of
  // that name.
  void draw(const std::string& shape, const ShapePlace& place,
            const Color& color);

  // The same for a straight line with round ends.
  void draw(const Line& line, const Color& color);

  // (3, height, width), float32, in [0, 255].
  Array image() const;

 private:
  struct Box {
    double left;
    double top;
    double right;
    double bottom;
  };
  // Covers the points in the box with distance(point) < 0, in pixels.
  template <class Distance>
  void fill(const Box& box, const Color& color, const Distance& distance);

  int64_t height_;
  int64_t width_;
  std::vector<float> pixels_;  // as image()
};

}  // namespace catena::examples
