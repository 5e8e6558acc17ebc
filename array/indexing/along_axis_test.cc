#include "catena/array/indexing/along_axis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/indexing/testing/index_reference.h"
#include "catena/tests/support/golden_device_test.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

namespace xp = catena::array;
using ::catena::testing::error_of;
using catena::testing::integers_of;
using catena::testing::IsArray;
using ::testing::AllOf;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class AlongAxisTest : public catena::testing::DeviceTest {};

TEST_P(AlongAxisTest, TheOtherAxesBroadcast) {
  const Array a = xp::arange(6).reshape({2, 3});
  EXPECT_THAT(xp::take_along_axis(a, xp::array({{2, -1, 0, 0}}), 1),
              IsArray(xp::array({{2, 2, 0, 0}, {5, 5, 3, 3}})));
  EXPECT_THAT(xp::take_along_axis(a[{Slice(0, 1)}], xp::array({{1}, {2}}), 1),
              IsArray(xp::array({{1}, {2}})));
}

TEST_P(AlongAxisTest, RandomOnesReadAndWriteElementByElement) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 1000; ++i) {
    const Shape shape = catena::testing::random_shape(random);
    const int axis = static_cast<int>(random() % shape.ndim());
    if (shape[axis] == 0) continue;
    const Array a = catena::testing::random_layout(shape, random);
    Shape index_shape = shape;
    index_shape[axis] = static_cast<int64_t>(random() % 4);
    std::vector<int64_t> indices(size_of(index_shape));
    for (int64_t& k : indices) {
      k = static_cast<int64_t>(random() % (2 * shape[axis])) - shape[axis];
    }
    // The positions in C order, (outer, axis, inner) around the axis.
    int64_t inner = 1;
    for (int k = axis + 1; k < shape.ndim(); ++k) inner *= shape[k];
    std::vector<int64_t> expected;
    for (size_t k = 0; k < indices.size(); ++k) {
      const int64_t place = static_cast<int64_t>(k);
      const int64_t outer = place / (inner * index_shape[axis]);
      const int64_t at = indices[k] < 0 ? indices[k] + shape[axis] : indices[k];
      expected.push_back((outer * shape[axis] + at) * inner + place % inner);
    }
    const Array index = xp::array(indices, index_shape);
    const Array taken = xp::take_along_axis(a, index, axis);
    ASSERT_EQ(taken.shape(), index_shape);
    ASSERT_THAT(integers_of(taken), ElementsAreArray(expected));
    xp::put_along_axis(a, index, -1, axis - shape.ndim());
    std::vector<int64_t> after(a.size());
    for (size_t k = 0; k < after.size(); ++k)
      after[k] = static_cast<int64_t>(k);
    for (const int64_t position : expected) after[position] = -1;
    ASSERT_THAT(integers_of(a), ElementsAreArray(after));
  }
}

TEST_P(AlongAxisTest, WhatDoesNotFitIsRefused) {
  const Array a = xp::zeros({2, 3});
  EXPECT_THAT(
      error_of<ShapeError>([&] { xp::take_along_axis(a, xp::array({0}), 0); }),
      "take_along_axis: expected indices with 2 axes for an array "
      "of shape (2, 3), got shape (1,)");
  EXPECT_THAT(
      [&] {
        xp::put_along_axis(a, xp::array({{3}, {-4}}), 1, 1);
        synchronize(device());
      },
      // Either: what a GPU's threads find first.
      ThrowsMessage<IndexError>(
          AllOf(HasSubstr("put_along_axis: index "),
                HasSubstr(" is out of range for axis 1 with extent 3"))));
  EXPECT_THROW(xp::take_along_axis(a, xp::zeros({2, 3}), 1), DtypeError);
  EXPECT_THROW(xp::take_along_axis(a, xp::array({{0}, {0}, {0}}), 1),
               ShapeError);
  EXPECT_THROW(xp::take_along_axis(a, xp::array({{0}}), 2), IndexError);
  EXPECT_THROW(xp::put_along_axis(a, xp::array({{0}}), xp::zeros({5}), 1),
               ShapeError);
  EXPECT_THAT(a, IsArray(xp::zeros({2, 3})));
}

INSTANTIATE_TEST_SUITE_P(All, AlongAxisTest, catena::testing::every_device(),
                         catena::testing::device_name);

class AlongAxisGoldenTest : public catena::testing::GoldenDeviceTest {};

TEST_P(AlongAxisGoldenTest, TakesAsNumpyDoes) {
  EXPECT_THAT(xp::take_along_axis(array("in0"), array("in1"),
                                  golden().attr<int64_t>("axis")),
              IsArray(golden().array("out0")));
}

INSTANTIATE_TEST_SUITE_P(Numpy, AlongAxisGoldenTest,
                         catena::testing::every_device_and_case(
                             "array/selection",
                             [](const catena::testing::GoldenCase& golden) {
                               return golden.attr<std::string>("op") ==
                                      "take_along_axis";
                             }),
                         catena::testing::golden_device_name);

}  // namespace
}  // namespace catena
