#include "catena/examples/support/drawing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/core/error.h"
#include "catena/array/reduction/reduce.h"
#include "catena/tests/testing/error_of.h"

namespace catena::examples {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

constexpr Color kWhite = {255, 255, 255};
constexpr Color kRed = {255, 0, 0};

// The share of the picture that a shape of this radius covers.
double covered(const std::string& shape, const ShapePlace& place) {
  Picture picture(64, 48, kWhite);
  picture.draw(shape, place, kRed);
  const Array image = picture.image();
  EXPECT_EQ(image.shape(), (Shape{3, 64, 48}));
  EXPECT_EQ(array::min(image[0]).item<float>(), 255);  // red stays full
  return 1 - array::mean(image[1]).item<float>() / 255;
}

TEST(PictureTest, ShapesHaveTheirArea) {
  constexpr double kPixels = 64 * 48;
  const double r2 = 16.0 * 16.0 / kPixels;
  const ShapePlace place{.x = 24, .y = 32, .radius = 16};
  EXPECT_NEAR(covered("circle", place), 3.1416 * r2, 0.003);
  EXPECT_NEAR(covered("square", place), 2 * r2, 0.003);
  EXPECT_NEAR(covered("triangle", place), 1.2990 * r2, 0.003);
  EXPECT_NEAR(covered("diamond", place), 1.1 * r2, 0.003);
  EXPECT_NEAR(covered("ring", place), 3.1416 * (1 - 0.3025) * r2, 0.003);
}

TEST(PictureTest, TurnedShapesKeepTheirArea) {
  for (const std::string& name : shape_names()) {
    ShapePlace place{.x = 24, .y = 32, .radius = 16};
    const double area = covered(name, place);
    EXPECT_GT(area, 0.02) << name;
    place.angle = 0.7;
    EXPECT_NEAR(covered(name, place), area, 0.003) << name;
  }
}

TEST(PictureTest, LinesHaveTheirAreaAndRoundEnds) {
  const auto covered_by = [](const Line& line) {
    Picture picture(64, 48, kWhite);
    picture.draw(line, kRed);
    return (1 - array::mean(picture.image()[1]).item<float>() / 255) * 64 * 48;
  };
  const Line line{.x0 = 10, .y0 = 50, .x1 = 34, .y1 = 18, .width = 6};
  const double ends = 3.1416 * 9;  // two halves of a circle
  EXPECT_NEAR(covered_by(line), 40 * 6 + ends, 1);
  EXPECT_NEAR(covered_by({.x0 = 9, .y0 = 9, .x1 = 9, .y1 = 9, .width = 6}),
              ends, 0.5);
  EXPECT_NEAR(covered_by({.x0 = -99, .y0 = 9, .x1 = 99, .y1 = 9}), 48, 0.1);
}

TEST(PictureTest, CutsOffWhatLiesOutside) {
  const double whole = covered("circle", {.x = 24, .y = 32, .radius = 10});
  EXPECT_NEAR(covered("circle", {.x = 0, .y = 32, .radius = 10}), whole / 2,
              0.003);
  EXPECT_EQ(covered("circle", {.x = -100, .y = 1e6, .radius = 10}), 0);
}

TEST(PictureTest, NamesItsShapes) {
  Picture picture(4, 4, kWhite);
  EXPECT_THAT(error_of<ValueError>([&] {
                picture.draw("egg", {.x = 1, .y = 1, .radius = 1}, kRed);
              }),
              HasSubstr("expected one of circle, square, triangle, "));
  EXPECT_THAT(error_of<ValueError>([] { Picture(0, 4, kWhite); }),
              "Picture: expected sizes of at least 1, got 0 and 4");
}

}  // namespace
}  // namespace catena::examples
