#include "catena/array/manipulation/flip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

class FlipTest : public catena::testing::DeviceTest {};

TEST_P(FlipTest, LeftRightAndUpDownAreTheTwoAxes) {
  const Array a = xp::array({{1, 2}, {3, 4}});
  EXPECT_THAT(xp::fliplr(a), IsArray(xp::array({{2, 1}, {4, 3}})));
  EXPECT_THAT(xp::flipud(a), IsArray(xp::array({{3, 4}, {1, 2}})));
  EXPECT_THAT(xp::flip(a), IsArray(xp::array({{4, 3}, {2, 1}})));
  EXPECT_THAT(xp::flip(a, -1), IsArray(xp::fliplr(a)));
  EXPECT_THAT(xp::flip(a, Axes{}), IsArray(a));
}

TEST_P(FlipTest, FourTurnsGoRound) {
  const Array a = xp::array({{1, 2, 3}, {4, 5, 6}});
  EXPECT_THAT(xp::rot90(a), IsArray(xp::array({{3, 6}, {2, 5}, {1, 4}})));
  EXPECT_THAT(xp::rot90(a, 1, {1, 0}),
              IsArray(xp::array({{4, 1}, {5, 2}, {6, 3}})));
  EXPECT_THAT(xp::rot90(a, -1), IsArray(xp::rot90(a, 3)));
  EXPECT_THAT(xp::rot90(xp::rot90(a, 3), 5), IsArray(a));
  EXPECT_THAT(xp::rot90(a, 2), IsArray(xp::flip(a)));
}

TEST_P(FlipTest, AxesThatAreNotThereAreRefused) {
  const Array a = xp::zeros({2});
  EXPECT_THAT(error_of<ShapeError>([&] { xp::fliplr(a); }),
              "fliplr: expected an array with at "
              "least 2 axes, got shape (2,)");
  EXPECT_THROW(xp::flipud(xp::array(1)), ShapeError);
  EXPECT_THROW(xp::flip(a, 1), IndexError);
  EXPECT_THROW(xp::rot90(a), IndexError);
  EXPECT_THROW(xp::rot90(xp::zeros({2, 2}), 1, {0, -2}), ValueError);
  EXPECT_THROW(xp::rot90(xp::zeros({2, 2}), 1, {0}), ValueError);
}

INSTANTIATE_TEST_SUITE_P(All, FlipTest, catena::testing::every_device(),
                         catena::testing::device_name);

}  // namespace
}  // namespace catena
