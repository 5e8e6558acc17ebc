#include "catena/tests/numbers/number_comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "catena/array/creation.h"

namespace catena::testing {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

bool agree(double actual, double expected, const Closeness& closeness = {}) {
  return difference(array::full({1}, actual), array::full({1}, expected),
                    closeness)
      .empty();
}

TEST(NumberComparisonTest, NanAgreesWithNanAloneWhateverItsSign) {
  EXPECT_TRUE(agree(kNaN, -kNaN));
  EXPECT_FALSE(agree(kNaN, kInf, {.ulps = 4}));
  EXPECT_FALSE(agree(0, kNaN, {.ulps = 4}));
}

TEST(NumberComparisonTest, ZerosHaveSigns) {
  EXPECT_TRUE(agree(-0.0, -0.0));
  EXPECT_FALSE(agree(0.0, -0.0, {.ulps = 4}));
  EXPECT_TRUE(agree(0.0, -0.0, {.any_zero = true}));
}

TEST(NumberComparisonTest, CountsFloatsInBetween) {
  const double next = std::nextafter(1.0, 2.0);
  EXPECT_FALSE(agree(1, next));
  EXPECT_TRUE(agree(1, next, {.ulps = 1}));
  EXPECT_TRUE(agree(next, 1, {.ulps = 1}));
  const double tiny = std::numeric_limits<double>::denorm_min();
  EXPECT_TRUE(agree(tiny, -tiny, {.ulps = 2}));
  EXPECT_FALSE(agree(tiny, -tiny, {.ulps = 1}));
  EXPECT_TRUE(agree(std::numeric_limits<double>::max(), kInf, {.ulps = 1}));
  EXPECT_FALSE(agree(-kInf, kInf, {.ulps = 1000}));
}

TEST(NumberComparisonTest, HalvesAreComparedAsHalves) {
  const Array one = array::full({1}, 1.0, Dtype::kFloat16);
  const Array next = array::full({1}, 1.0 + 1.0 / 1024, Dtype::kFloat16);
  EXPECT_EQ(difference(one, next, {.ulps = 1}), "");
  EXPECT_NE(difference(one, next), "");
}

TEST(NumberComparisonTest, DtypesAndShapesAreTheSame) {
  const Array a = array::zeros({2});
  EXPECT_NE(difference(a, array::zeros({2, 1})), "");
  EXPECT_NE(difference(a, array::zeros({2}, Dtype::kFloat32)), "");
  EXPECT_NE(difference(Array(), a), "");
}

}  // namespace
}  // namespace catena::testing
