#include "catena/array/indexing/ravel_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/indexing/testing/index_reference.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

namespace xp = catena::array;
using ::catena::testing::error_of;
using catena::testing::IsArray;
using ::testing::HasSubstr;
using xp::IndexMode;

class RavelIndexTest : public catena::testing::DeviceTest {};

TEST_P(RavelIndexTest, EachUndoesTheOther) {
  std::mt19937_64 random(6);
  for (int i = 0; i < 200; ++i) {
    const Shape shape = catena::testing::random_shape(random);
    const Array positions = catena::testing::random_layout(shape, random);
    const std::vector<Array> indices = xp::unravel_index(positions, shape);
    ASSERT_EQ(static_cast<int>(indices.size()), shape.ndim());
    ASSERT_THAT(xp::ravel_multi_index(indices, shape),
                IsArray(positions.copy()));
  }
}

TEST_P(RavelIndexTest, TheLastAxisRunsFastest) {
  const std::vector<Array> indices =
      xp::unravel_index(xp::array({{22, 41}, {37, 0}}), {7, 6});
  EXPECT_THAT(indices[0], IsArray(xp::array({{3, 6}, {6, 0}})));
  EXPECT_THAT(indices[1], IsArray(xp::array({{4, 5}, {1, 0}})));
  EXPECT_THAT(
      xp::ravel_multi_index({xp::array({{0}, {1}}), xp::array({2, 0})}, {2, 3}),
      IsArray(xp::array({{2, 0}, {5, 3}})));
}

TEST_P(RavelIndexTest, ModesReplaceTheError) {
  const Array odd = xp::array({-1, 4});
  const Array zero = xp::array(0);
  EXPECT_THAT(
      xp::ravel_multi_index({zero, odd}, {2, 3}, {.mode = IndexMode::kWrap}),
      IsArray(xp::array({2, 1})));
  EXPECT_THAT(
      xp::ravel_multi_index({zero, odd}, {2, 3}, {.mode = IndexMode::kClip}),
      IsArray(xp::array({0, 2})));
  EXPECT_THAT(
      error_of<IndexError>([&] {
        (xp::ravel_multi_index({zero, xp::array({1, -1})}, {2, 3}));
        synchronize(device());
      }),
      HasSubstr("ravel_multi_index: index -1 is out of range for axis 1 "
                "with extent 3"));
}

TEST_P(RavelIndexTest, WhatDoesNotFitIsRefused) {
  EXPECT_THAT(error_of<IndexError>([] {
                xp::unravel_index(xp::array({5, 6}), {2, 3});
              }),
              "unravel_index: position 6 is out of "
              "range for shape (2, 3) of size 6");
  EXPECT_THROW(xp::unravel_index(xp::array({-1}), {2, 3}), IndexError);
  EXPECT_THROW(xp::unravel_index(xp::array({0}), {0, 3}), IndexError);
  EXPECT_THROW(xp::unravel_index(xp::array({0.}), {3}), DtypeError);
  EXPECT_THROW((xp::ravel_multi_index({xp::array({0})}, {2, 3})), ValueError);
  EXPECT_EQ(xp::unravel_index(xp::zeros({0}, Dtype::kInt64), {0, 3})[1].shape(),
            Shape({0}));
}

INSTANTIATE_TEST_SUITE_P(All, RavelIndexTest, catena::testing::every_device(),
                         catena::testing::device_name);

}  // namespace
}  // namespace catena
