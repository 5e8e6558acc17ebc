#include "catena/array/manipulation/pad.h"

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
using xp::PadMode;

class PadTest : public catena::testing::DeviceTest {};

TEST_P(PadTest, ModesAreThoseOfTheHeader) {
  const Array a = xp::array({1, 2, 3, 4});
  EXPECT_THAT(xp::pad(a, 2), IsArray(xp::array({0, 0, 1, 2, 3, 4, 0, 0})));
  EXPECT_THAT(xp::pad(a, 2, {.mode = PadMode::kEdge}),
              IsArray(xp::array({1, 1, 1, 2, 3, 4, 4, 4})));
  EXPECT_THAT(xp::pad(a, 2, {.mode = PadMode::kReflect}),
              IsArray(xp::array({3, 2, 1, 2, 3, 4, 3, 2})));
  EXPECT_THAT(xp::pad(a, 2, {.mode = PadMode::kSymmetric}),
              IsArray(xp::array({2, 1, 1, 2, 3, 4, 4, 3})));
  EXPECT_THAT(xp::pad(a, 2, {.mode = PadMode::kWrap}),
              IsArray(xp::array({3, 4, 1, 2, 3, 4, 1, 2})));
}

TEST_P(PadTest, WidthsAndConstantsAreForAllOrForEachAxis) {
  const Array a = xp::array({{1, 2}});
  EXPECT_THAT(xp::pad(a, {{0, 1}, {2, 0}}),
              IsArray(xp::array({{0, 0, 1, 2}, {0, 0, 0, 0}})));
  EXPECT_THAT(xp::pad(a, {{0, 1}}), IsArray(xp::array({{1, 2, 0}, {0, 0, 0}})));
  const std::vector<xp::PadValue> values = {{5, 6}, {7, 8.9}};
  EXPECT_THAT(xp::pad(a, 1, {.constant_values = values}),
              IsArray(xp::array({{7, 5, 5, 8}, {7, 1, 2, 8}, {7, 6, 6, 8}})));
  EXPECT_THAT(xp::pad(a, {{1, 0}, {0, 0}}, {.constant_values = {9}}),
              IsArray(xp::array({{9, 9}, {1, 2}})));
}

TEST_P(PadTest, NothingCanOnlyBePaddedWithConstants) {
  const Array a = xp::zeros({0, 2});
  EXPECT_EQ(xp::pad(a, 1).shape(), Shape({2, 4}));
  EXPECT_EQ(xp::pad(a, {{0, 0}, {1, 1}}, {.mode = PadMode::kEdge}).shape(),
            Shape({0, 4}));
  EXPECT_THAT(
      error_of<ValueError>([&] { xp::pad(a, 1, {.mode = PadMode::kEdge}); }),
      "pad: expected at least one element along axis 0 of shape (0, 2)");
}

TEST_P(PadTest, WhatDoesNotFitIsRefused) {
  const Array a = xp::zeros({2, 2});
  EXPECT_THAT(error_of<ValueError>([&] {
                xp::pad(a, {{0, 0}, {0, -1}});
              }),
              "pad: expected widths of at least 0 "
              "for axis 1, got (0, -1)");
  EXPECT_THAT(error_of<ValueError>([&] {
                xp::pad(a, {{0, 0}, {0, 0}, {0, 0}});
              }),
              "pad: expected one or 2 widths for shape (2, 2), got 3");
  EXPECT_THROW(xp::pad(a, {{int64_t{1} << 62, int64_t{1} << 62}}), ShapeError);
  EXPECT_NE(xp::pad(a, 0).storage(), a.storage());
}

INSTANTIATE_TEST_SUITE_P(All, PadTest, catena::testing::every_device(),
                         catena::testing::device_name);

}  // namespace
}  // namespace catena
