#include "catena/array/manipulation/representation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "catena/array/array.h"
#include "catena/array/core/error.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

namespace xp = catena::array;
using ::catena::testing::error_of;

// Expected values: NumPy 1.24.
TEST(RepresentationTest, BinaryNegativesHaveASignOrAWidth) {
  EXPECT_EQ(xp::binary_repr(0), "0");
  EXPECT_EQ(xp::binary_repr(10), "1010");
  EXPECT_EQ(xp::binary_repr(-3), "-11");
  EXPECT_EQ(xp::binary_repr(3, 6), "000011");
  EXPECT_EQ(xp::binary_repr(-3, 3), "101");
  EXPECT_EQ(xp::binary_repr(-3, 5), "11101");
  EXPECT_EQ(xp::binary_repr(-4, 3), "100");
  EXPECT_EQ(xp::binary_repr(-1, 1), "1");
}

TEST(RepresentationTest, AWidthThatDoesNotSufficeIsExceeded) {
  EXPECT_EQ(xp::binary_repr(10, 2), "1010");
  EXPECT_EQ(xp::binary_repr(-5, 2), "1011");
  EXPECT_EQ(xp::binary_repr(-1, 66), std::string(66, '1'));
  EXPECT_EQ(xp::binary_repr(std::numeric_limits<int64_t>::min(), 1),
            "1" + std::string(63, '0'));
}

TEST(RepresentationTest, AnyBaseUpToTheAlphabet) {
  EXPECT_EQ(xp::base_repr(5), "101");
  EXPECT_EQ(xp::base_repr(6, 5), "11");
  EXPECT_EQ(xp::base_repr(7, 5, 3), "00012");
  EXPECT_EQ(xp::base_repr(255, 16), "FF");
  EXPECT_EQ(xp::base_repr(-35, 36), "-Z");
  EXPECT_EQ(xp::base_repr(0), "0");
  EXPECT_EQ(xp::base_repr(std::numeric_limits<int64_t>::min(), 16),
            "-8000000000000000");
}

TEST(RepresentationTest, BasesAndWidthsAreChecked) {
  EXPECT_THAT(error_of<ValueError>([] { xp::base_repr(1, 37); }),
              "base_repr: expected a base from 2 to 36, got 37");
  EXPECT_THROW(xp::base_repr(1, 1), ValueError);
  EXPECT_THROW(xp::base_repr(1, 2, -1), ValueError);
  EXPECT_THROW(xp::binary_repr(1, -1), ValueError);
}

TEST(RepresentationTest, NumbersAreScalarsAndArraysAreNot) {
  EXPECT_TRUE(xp::isscalar(1.5));
  EXPECT_TRUE(xp::isscalar(float16(1.f)));
  EXPECT_TRUE(xp::isscalar(true));
  EXPECT_FALSE(xp::isscalar(xp::empty({})));
  EXPECT_FALSE(xp::isscalar(std::string("x")));
}

}  // namespace
}  // namespace catena
