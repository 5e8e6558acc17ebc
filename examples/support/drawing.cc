#include "catena/examples/support/drawing.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <span>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"

namespace catena::examples {
namespace {

using Point = std::complex<double>;

// Distances are negative inside. Shapes have radius 1 and center 0.
using Distance = double (*)(Point);

double distance_to_segment(Point p, Point a, Point b) {
  if (a == b) return std::abs(p - a);
  const Point along = b - a;
  const double t = ((p - a) * std::conj(along)).real() / std::norm(along);
  return std::abs(p - a - std::clamp(t, 0.0, 1.0) * along);
}

double distance_to_polygon(Point p, std::span<const Point> corners) {
  double distance = std::numeric_limits<double>::infinity();
  bool is_inside = false;
  for (size_t i = 0; i < corners.size(); ++i) {
    const Point a = corners[i];
    const Point b = corners[(i + 1) % corners.size()];
    distance = std::min(distance, distance_to_segment(p, a, b));
    if ((a.imag() > p.imag()) != (b.imag() > p.imag()) &&
        p.real() < a.real() + (b.real() - a.real()) * (p.imag() - a.imag()) /
                                  (b.imag() - a.imag())) {
      is_inside = !is_inside;
    }
  }
  return is_inside ? -distance : distance;
}

// A polygon whose corners take turns of these radii; the first is on top.
std::vector<Point> corners_of(size_t count, const std::vector<double>& radii,
                              double first_angle = 0) {
  std::vector<Point> corners;
  for (size_t i = 0; i < count; ++i) {
    const double turn = static_cast<double>(i) / static_cast<double>(count);
    corners.push_back(
        std::polar(radii[i % radii.size()],
                   first_angle + (2 * turn - 0.5) * std::numbers::pi));
  }
  return corners;
}

double circle(Point p) { return std::abs(p) - 1; }
double square(Point p) {
  static const auto corners = corners_of(4, {1}, std::numbers::pi / 4);
  return distance_to_polygon(p, corners);
}
double triangle(Point p) {
  static const auto corners = corners_of(3, {1});
  return distance_to_polygon(p, corners);
}
double star(Point p) {
  static const auto corners = corners_of(10, {1, 0.4});
  return distance_to_polygon(p, corners);
}
double cross(Point p) {
  constexpr double kLong = 0.95;
  constexpr double kShort = 0.3;
  const double x = std::abs(p.real());
  const double y = std::abs(p.imag());
  return std::min(std::max(x - kLong, y - kShort),
                  std::max(x - kShort, y - kLong));
}
double ring(Point p) { return std::abs(std::abs(p) - 0.775) - 0.225; }
double half_moon(Point p) {
  return std::max(std::abs(p) - 1, 0.8 - std::abs(p - Point(0.5, 0)));
}
double diamond(Point p) {
  static const auto corners = corners_of(4, {1, 0.55});
  return distance_to_polygon(p, corners);
}

struct NamedShape {
  const char* name;
  Distance distance;
};
constexpr NamedShape kShapes[] = {
    {"circle", circle},       {"square", square},  {"triangle", triangle},
    {"star", star},           {"cross", cross},    {"ring", ring},
    {"half-moon", half_moon}, {"diamond", diamond}};

Distance find_shape(const std::string& name) {
  for (const NamedShape& shape : kShapes) {
    if (shape.name == name) return shape.distance;
  }
  std::string names;
  for (const std::string& known : shape_names()) {
    names += (names.empty() ? "" : ", ") + known;
  }
  raise<ValueError>("Picture::draw: expected one of ", names, ", got '", name,
                    "'");
}

}  // namespace

const std::vector<std::string>& shape_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const NamedShape& shape : kShapes) all.emplace_back(shape.name);
    return all;
  }();
  return names;
}

Picture::Picture(int64_t height, int64_t width, const Color& background)
    : height_(height), width_(width) {
  if (height < 1 || width < 1) {
    raise<ValueError>("Picture: expected sizes of at least 1, got ", height,
                      " and ", width);
  }
  for (const float channel : background) {
    pixels_.insert(pixels_.end(), static_cast<size_t>(height * width), channel);
  }
}

void Picture::draw(const std::string& shape, const ShapePlace& place,
                   const Color& color) {
  const Distance distance = find_shape(shape);
  const Point center(place.x, place.y);
  const Point turn = std::polar(1 / place.radius, -place.angle);
  const Box box = {.left = place.x - place.radius,
                   .top = place.y - place.radius,
                   .right = place.x + place.radius,
                   .bottom = place.y + place.radius};
  fill(box, color,
       [&](Point p) { return distance((p - center) * turn) * place.radius; });
}

void Picture::draw(const Line& line, const Color& color) {
  const Point a(line.x0, line.y0);
  const Point b(line.x1, line.y1);
  const double radius = line.width / 2;
  const Box box = {.left = std::min(line.x0, line.x1) - radius,
                   .top = std::min(line.y0, line.y1) - radius,
                   .right = std::max(line.x0, line.x1) + radius,
                   .bottom = std::max(line.y0, line.y1) + radius};
  fill(box, color,
       [&](Point p) { return distance_to_segment(p, a, b) - radius; });
}

template <class Distance>
void Picture::fill(const Box& box, const Color& color,
                   const Distance& distance) {
  const auto pixel_at = [](double at, int64_t size) {
    return static_cast<int64_t>(std::clamp(at, 0.0, static_cast<double>(size)));
  };
  const int64_t left = pixel_at(std::floor(box.left - 1), width_);
  const int64_t right = pixel_at(std::ceil(box.right + 1), width_);
  const int64_t top = pixel_at(std::floor(box.top - 1), height_);
  const int64_t bottom = pixel_at(std::ceil(box.bottom + 1), height_);
  for (int64_t y = top; y < bottom; ++y) {
    for (int64_t x = left; x < right; ++x) {
      const Point p(static_cast<double>(x) + 0.5, static_cast<double>(y) + 0.5);
      const auto cover =
          static_cast<float>(std::clamp(0.5 - distance(p), 0.0, 1.0));
      for (int64_t c = 0; c < 3; ++c) {
        float& pixel =
            pixels_[static_cast<size_t>((c * height_ + y) * width_ + x)];
        pixel += cover * (color[static_cast<size_t>(c)] - pixel);
      }
    }
  }
}

Array Picture::image() const {
  return array::copy_from(pixels_.data(), {3, height_, width_}, Dtype::kFloat32,
                          native_device());
}

}  // namespace catena::examples
