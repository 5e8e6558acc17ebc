#include "catena/examples/support/shape_pictures.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "catena/examples/support/drawing.h"

namespace catena::examples {
namespace {

class Painter {
 public:
  explicit Painter(std::mt19937& random) : random_(random) {}

  double between(double low, double high) {
    return std::uniform_real_distribution(low, high)(random_);
  }

  Color color() {
    Color color{};
    for (float& channel : color) channel = static_cast<float>(between(0, 255));
    return color;
  }

  // Differs from `other` by `least` to `most` levels, averaged over the
  // channels.
  Color color_unlike(const Color& other, double least, double most) {
    while (true) {
      const Color result = color();
      double difference = 0;
      for (size_t c = 0; c < 3; ++c) {
        difference += std::abs(result[c] - other[c]) / 3;
      }
      if (difference > least && difference < most) return result;
    }
  }

  // At least as far from the edges of the picture as `inside` times the radius.
  ShapePlace place(int64_t size, double radius, double inside) {
    const double low = inside * radius;
    const double high = static_cast<double>(size) - low;
    return {.x = between(low, high),
            .y = between(low, high),
            .radius = radius,
            .angle = between(-0.5, 0.5)};
  }

 private:
  std::mt19937& random_;
};

}  // namespace

Array draw_random_shape(const std::string& shape, int64_t size,
                        std::mt19937& random) {
  constexpr double kNoise = 5;
  Painter painter(random);
  const auto side = static_cast<double>(size);
  const Color background = painter.color();
  Picture picture(size, size, background);
  for (int i = 0; i < 3; ++i) {
    const auto& names = shape_names();
    const auto which = static_cast<size_t>(
        painter.between(0, static_cast<double>(names.size())));
    const double radius = side * painter.between(0.1, 0.6);
    picture.draw(names[which], painter.place(size, radius, 0),
                 painter.color_unlike(background, 0, 15));
  }
  const double radius = side * painter.between(0.28, 0.42);
  picture.draw(shape, painter.place(size, radius, 1),
               painter.color_unlike(background, 100, 255));
  const Array image = picture.image();
  std::normal_distribution<float> noise(0, kNoise);
  float* pixels = image.data<float>();
  for (int64_t i = 0; i < image.size(); ++i) {
    pixels[i] = std::clamp(pixels[i] + noise(random), 0.0f, 255.0f);
  }
  return image;
}

}  // namespace catena::examples
