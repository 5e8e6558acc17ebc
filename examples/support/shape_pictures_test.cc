#include "catena/examples/support/shape_pictures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/examples/support/drawing.h"
#include "catena/tests/testing/array_matchers.h"

namespace catena::examples {
namespace {

using ::catena::testing::IsArray;
using ::testing::Not;

Array draw(const std::string& shape, uint32_t seed, int64_t size = 32) {
  std::mt19937 random(seed);
  return draw_random_shape(shape, size, random);
}

// The share of pixels that differ by more than `levels` in the mean of the
// channels.
double share_that_differs(const Array& a, const Array& b, double levels) {
  const Array difference = array::mean(array::absolute(a - b), 0);
  return array::mean(array::greater(difference, levels).astype(a.dtype()))
      .item<float>();
}

TEST(ShapePicturesTest, ArePicturesThatFollowFromTheGenerator) {
  const Array picture = draw("star", 1, 24);
  EXPECT_EQ(picture.shape(), Shape({3, 24, 24}));
  EXPECT_EQ(picture.dtype(), Dtype::kFloat32);
  EXPECT_GE(array::min(picture).item<float>(), 0);
  EXPECT_LE(array::max(picture).item<float>(), 255);
  EXPECT_THAT(draw("star", 1, 24), IsArray(picture));
  EXPECT_THAT(draw("star", 2, 24), Not(IsArray(picture)));
}

// With the same random numbers, only the shapes differ. A circle of radius r
// covers pi r^2 and a diamond 1.1 r^2, with r from 0.28 to 0.42.
TEST(ShapePicturesTest, ShapesStandOut) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const double share =
        share_that_differs(draw("circle", seed), draw("diamond", seed), 60);
    EXPECT_GT(share, 0.15);
    EXPECT_LT(share, 0.37);
  }
}

}  // namespace
}  // namespace catena::examples
