#include "catena/array/manipulation/join.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/concatenate.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/manipulation/split.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

namespace xp = catena::array;
using ::catena::testing::error_of;
using catena::testing::IsArray;

class JoinTest : public catena::testing::DeviceTest {};

TEST_P(JoinTest, ArraysWithOneAxisAreRowsOrColumns) {
  const Array a = xp::array({1, 2});
  const Array b = xp::array({3., 4.});
  EXPECT_THAT(xp::vstack({a, b}), IsArray(xp::array({{1., 2.}, {3., 4.}})));
  EXPECT_THAT(xp::hstack({a, b}), IsArray(xp::array({1., 2., 3., 4.})));
  EXPECT_THAT(xp::dstack({a, b}), IsArray(xp::array({{{1., 3.}, {2., 4.}}})));
  EXPECT_THAT(xp::column_stack({a, b}),
              IsArray(xp::array({{1., 3.}, {2., 4.}})));
  EXPECT_THAT(xp::hstack({xp::array(1), xp::array(2)}), IsArray(a));
}

TEST_P(JoinTest, AppendFlattensWithoutAnAxis) {
  const Array a = xp::array({{1, 2}});
  EXPECT_THAT(xp::append(a, xp::array({3})), IsArray(xp::array({1, 2, 3})));
  EXPECT_THAT(xp::append(a, a, 0), IsArray(xp::array({{1, 2}, {1, 2}})));
}

TEST_P(JoinTest, WhatDoesNotFitIsRefused) {
  EXPECT_THAT(
      error_of<ValueError>([] { xp::vstack(std::initializer_list<Array>{}); }),
      "vstack: expected at least one array, got none");
  EXPECT_THROW((xp::vstack({xp::zeros({2}), xp::zeros({3})})), ShapeError);
  EXPECT_THAT(error_of<ShapeError>([] {
                xp::column_stack({xp::zeros({1, 1, 1})});
              }),
              "column_stack: expected arrays with one or two "
              "axes, got shape (1, 1, 1)");
}

std::vector<Shape> shapes_of(const std::vector<Array>& parts) {
  std::vector<Shape> shapes;
  for (const Array& part : parts) shapes.push_back(part.shape());
  return shapes;
}

TEST_P(JoinTest, PartsAreViewsThatJoinAgain) {
  const Array a = xp::arange(30).reshape({5, 6});
  for (int64_t axis = -2; axis < 2; ++axis) {
    for (const int64_t sections : {1, 2, 3, 4, 7}) {
      const auto parts = xp::array_split(a, sections, axis);
      ASSERT_EQ(static_cast<int64_t>(parts.size()), sections);
      EXPECT_EQ(parts[0].storage(), a.storage());
      EXPECT_THAT(xp::concatenate(parts, axis), IsArray(a));
    }
  }
  EXPECT_EQ(shapes_of(xp::array_split(a, 3)),
            (std::vector<Shape>{{2, 6}, {2, 6}, {1, 6}}));
}

TEST_P(JoinTest, IndicesCutAsSlicesDo) {
  const Array a = xp::arange(8);
  const std::vector<Array> parts = xp::split(a, {3, 5, -2, 10});
  ASSERT_EQ(parts.size(), 5u);
  EXPECT_THAT(parts[1], IsArray(xp::array({3, 4})));
  EXPECT_THAT(parts[2], IsArray(xp::array({5})));
  EXPECT_THAT(parts[3], IsArray(xp::array({6, 7})));
  EXPECT_EQ(parts[4].shape(), Shape({0}));
  EXPECT_EQ(xp::split(a, {2}).size(), 2u);
}

TEST_P(JoinTest, SplitsAlongNamedAxes) {
  const Array a = xp::zeros({2, 4, 6});
  EXPECT_EQ(xp::vsplit(a, 2)[1].shape(), Shape({1, 4, 6}));
  EXPECT_EQ(xp::hsplit(a, {1})[1].shape(), Shape({2, 3, 6}));
  EXPECT_EQ(xp::dsplit(a, 3)[2].shape(), Shape({2, 4, 2}));
  EXPECT_EQ(xp::dsplit(a, {1})[0].shape(), Shape({2, 4, 1}));
  EXPECT_EQ(xp::vsplit(a, {1})[0].shape(), Shape({1, 4, 6}));
  EXPECT_EQ(xp::hsplit(xp::zeros({4}), 2)[0].shape(), Shape({2}));
}

TEST_P(JoinTest, CutsThatAreNotPossibleAreRefused) {
  const Array a = xp::zeros({5});
  EXPECT_THAT(error_of<ValueError>([&] { xp::split(a, 2); }),
              "split: expected a number of parts that divides the extent 5 "
              "of axis 0, got 2");
  EXPECT_THROW(xp::array_split(a, 0), ValueError);
  EXPECT_THROW(xp::split(a, {1}, 1), IndexError);
  EXPECT_THAT(error_of<ShapeError>([&] { xp::vsplit(a, 1); }),
              "vsplit: expected an array with at least 2 axes, got shape "
              "(5,)");
  EXPECT_THROW(xp::hsplit(xp::array(1), 1), ShapeError);
  EXPECT_THROW(xp::dsplit(xp::zeros({2, 2}), 1), ShapeError);
}

INSTANTIATE_TEST_SUITE_P(All, JoinTest, catena::testing::every_device(),
                         catena::testing::device_name);

}  // namespace
}  // namespace catena
