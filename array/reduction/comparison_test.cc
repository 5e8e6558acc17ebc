#include "catena/array/reduction/comparison.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

namespace xp = catena::array;
using ::catena::testing::error_of;
using catena::testing::IsArray;
using ::testing::HasSubstr;

const double kNan = std::nan("");
constexpr double kInf = std::numeric_limits<double>::infinity();

class ComparisonTest : public catena::testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, ComparisonTest,
                         catena::testing::every_device(),
                         catena::testing::device_name);

TEST_P(ComparisonTest, ArraysAreEqualByShapeAndElements) {
  const Array a = xp::array({{1, 2}, {3, 4}});
  EXPECT_TRUE(xp::array_equal(a, a.copy()));
  EXPECT_TRUE(xp::array_equal(a, a.astype(Dtype::kFloat32)));
  EXPECT_TRUE(xp::array_equal(a.T(), a.T().copy()));
  EXPECT_FALSE(xp::array_equal(a, a.T()));
  EXPECT_FALSE(xp::array_equal(a, a.reshape({4})));
  EXPECT_FALSE(xp::array_equal(xp::array({1.0, kNan}), xp::array({1.0, kNan})));
  EXPECT_TRUE(xp::array_equal(xp::zeros({0, 3}), xp::ones({0, 3})));
  EXPECT_FALSE(xp::array_equal(xp::zeros({0, 3}), xp::zeros({3, 0})));
}

// NumPy 1.24
TEST_P(ComparisonTest, ClosenessIsRelativeToTheSecondArray) {
  const Array a = xp::array({1e10, 1e-7, kInf, -kInf, kNan, 1.0, 0.0});
  const Array b = xp::array({1.00001e10, 1e-8, kInf, kInf, kNan, kInf, 1e-9});
  EXPECT_THAT(
      xp::isclose(a, b),
      IsArray(xp::array({true, false, true, false, false, false, true})));
  EXPECT_THAT(
      xp::isclose(a, b, {.equal_nan = true}),
      IsArray(xp::array({true, false, true, false, true, false, true})));
  EXPECT_TRUE(xp::isclose(xp::array(10.0), xp::array(11.0), {.rtol = 0.0910})
                  .item<bool>());
  EXPECT_FALSE(xp::isclose(xp::array(11.0), xp::array(10.0), {.rtol = 0.0910})
                   .item<bool>());
  EXPECT_THAT(xp::isclose(xp::array({{1.0}, {2.0}}), xp::array({1.0, 2.0})),
              IsArray(xp::array({{true, false}, {false, true}})));
  EXPECT_FALSE(xp::allclose(a, b));
  EXPECT_TRUE(xp::allclose(xp::array({3, 4}), xp::array({3, 5}), {.atol = 1}));
  // Unsigned numbers do not wrap round.
  EXPECT_FALSE(xp::allclose(xp::zeros({1}, Dtype::kUInt8),
                            xp::ones({1}, Dtype::kUInt8)));
}

TEST_P(ComparisonTest, TolerancesAreNotNegative) {
  const Array a = xp::ones({2});
  EXPECT_THAT(error_of<ValueError>([&] { xp::isclose(a, a, {.rtol = -1}); }),
              HasSubstr("rtol -1"));
  EXPECT_THAT(error_of<ValueError>([&] { xp::allclose(a, a, {.atol = kNan}); }),
              HasSubstr("atol nan"));
  EXPECT_THAT(error_of<ShapeError>([&] { xp::isclose(a, xp::ones({3})); }),
              HasSubstr("(2,) and (3,)"));
}

}  // namespace
}  // namespace catena
