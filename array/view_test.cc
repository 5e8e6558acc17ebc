// Transposes, reshapes and broadcasts.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/array.h"
#include "catena/array/creation.h"
#include "catena/array/error.h"
#include "catena/array/index.h"
#include "catena/tests/support/array_matchers.h"
#include "catena/tests/support/device_test.h"

namespace catena {
namespace {

namespace xp = catena::array;
using catena::testing::IsArray;
using ::testing::ThrowsMessage;

bool shares_memory(const Array& a, const Array& b) {
  return a.storage() == b.storage();
}

class ViewTest : public catena::testing::DeviceTest {
 protected:
  // 0 to 23 as (2, 3, 4).
  Array a_;
  void SetUp() override {
    DeviceTest::SetUp();
    if (!IsSkipped()) a_ = xp::arange(24).reshape({2, 3, 4});
  }
};

TEST_P(ViewTest, TransposeReversesTheAxes) {
  const Array t = a_.T();
  EXPECT_EQ(t.shape(), Shape({4, 3, 2}));
  EXPECT_EQ(t.strides(), Shape({8, 32, 96}));
  EXPECT_TRUE(shares_memory(t, a_));
  EXPECT_FALSE(t.is_contiguous());
  EXPECT_THAT(xp::array({{1, 2}, {3, 4}}).T(),
              IsArray(xp::array({{1, 3}, {2, 4}})));
  EXPECT_EQ(xp::zeros({}).T().ndim(), 0);
}

TEST_P(ViewTest, TransposePermutesAsAsked) {
  const Array t = a_.transpose({1, -1, 0});
  EXPECT_EQ(t.shape(), Shape({3, 4, 2}));
  EXPECT_THAT(t[2], IsArray(xp::array({{8, 20}, {9, 21}, {10, 22}, {11, 23}})));
}

TEST_P(ViewTest, BadPermutationsAreRefused) {
  EXPECT_THAT(
      [&] {
        a_.transpose({0, 1});
      },
      ThrowsMessage<ValueError>("transpose: expected 3 axes for shape "
                                "(2, 3, 4), got (0, 1)"));
  EXPECT_THROW(a_.transpose({0, 1, 3}), IndexError);
  EXPECT_THAT(
      [&] {
        a_.transpose({0, 1, -2});
      },
      ThrowsMessage<ValueError>(
          "transpose: axis -2 is given twice in (0, 1, -2)"));
}

TEST_P(ViewTest, ReshapeIsAViewWhereTheLayoutAllows) {
  EXPECT_TRUE(shares_memory(a_.reshape({6, 4}), a_));
  EXPECT_TRUE(shares_memory(a_.reshape({-1}), a_));
  EXPECT_TRUE(shares_memory(a_.reshape({2, 1, 3, 4, 1}), a_));
  // Every second row: an axis can be split, though not merged with the next.
  const Array rows = a_[{Slice(), Slice(0, 3, 2)}];
  EXPECT_TRUE(shares_memory(rows.reshape({2, 2, 2, 2}), a_));
  EXPECT_THAT((rows.reshape({2, 2, 2, 2})[{1, 1, 0}]),
              IsArray(xp::array({20, 21})));
  // The two outer axes of a block of columns lie as one.
  const Array columns = a_[{ellipsis, Slice(1, 3)}];
  EXPECT_TRUE(shares_memory(columns.reshape({6, 2}), a_));
  EXPECT_THAT(columns.reshape({6, 2})[4], IsArray(xp::array({17, 18})));
  // Backwards is a layout like any other.
  const Array back = xp::arange(6)[{Slice({}, {}, -1)}];
  EXPECT_TRUE(shares_memory(back.reshape({2, 3}), back));
  EXPECT_THAT(back.reshape({2, 3}), IsArray(xp::array({{5, 4, 3}, {2, 1, 0}})));
}

TEST_P(ViewTest, ReshapeCopiesWhereItMust) {
  const Array flat = a_.T().reshape({-1});
  EXPECT_FALSE(shares_memory(flat, a_));
  EXPECT_THAT(flat[{Slice(0, 7)}],
              IsArray(xp::array({0, 12, 4, 16, 8, 20, 1})));
  EXPECT_FALSE(shares_memory(a_[{ellipsis, Slice(1, 3)}].reshape({12}), a_));
  const Array broadcast = xp::arange(2).broadcast_to({3, 2});
  EXPECT_THAT(broadcast.reshape({6}), IsArray(xp::array({0, 1, 0, 1, 0, 1})));
}

TEST_P(ViewTest, ReshapeFindsTheUnknownExtent) {
  EXPECT_EQ(a_.reshape({4, -1}).shape(), Shape({4, 6}));
  EXPECT_EQ(a_.reshape({-1, 24}).shape(), Shape({1, 24}));
  EXPECT_EQ(xp::zeros({0, 3}).reshape({-1, 3}).shape(), Shape({0, 3}));
  EXPECT_EQ(xp::zeros({}).reshape({-1}).shape(), Shape({1}));
  EXPECT_EQ(xp::zeros({0, 3}).reshape({5, 0}).shape(), Shape({5, 0}));
}

TEST_P(ViewTest, ShapesOfAnotherSizeAreRefused) {
  EXPECT_THAT(
      [&] {
        a_.reshape({5, 5});
      },
      ThrowsMessage<ShapeError>("reshape: cannot make shape (5, 5) of "
                                "24 elements of shape (2, 3, 4)"));
  EXPECT_THROW(a_.reshape({5, -1}), ShapeError);
  EXPECT_THROW(a_.reshape({0, -1}), ShapeError);
  EXPECT_THROW(xp::zeros({0}).reshape({0, -1}), ShapeError);
  EXPECT_THROW(a_.reshape({-1, -1}), ShapeError);
  EXPECT_THROW(a_.reshape({-2, 12}), ShapeError);
  EXPECT_THROW(a_.reshape({}), ShapeError);
  const int64_t huge = int64_t{1} << 62;
  EXPECT_THROW(a_.reshape({huge, 4}), ShapeError);
  EXPECT_THROW(a_.reshape({huge, 4, -1}), ShapeError);
}

TEST_P(ViewTest, BroadcastRepeatsWithoutCopying) {
  const Array row = xp::array({{1}, {2}});
  const Array wide = row.broadcast_to({3, 2, 4});
  EXPECT_EQ(wide.strides(), Shape({0, 8, 0}));
  EXPECT_TRUE(shares_memory(wide, row));
  EXPECT_THAT(wide[1], IsArray(xp::array({{1, 1, 1, 1}, {2, 2, 2, 2}})));
  EXPECT_EQ(xp::zeros({1, 2}).broadcast_to({0, 2}).size(), 0);
  EXPECT_EQ(xp::zeros({}).broadcast_to({2, 2}).shape(), Shape({2, 2}));
}

TEST_P(ViewTest, ImpossibleBroadcastsAreRefused) {
  EXPECT_THAT(
      [&] {
        a_.broadcast_to({2, 3, 5});
      },
      ThrowsMessage<ShapeError>("broadcast_to: cannot broadcast shape "
                                "(2, 3, 4) to (2, 3, 5)"));
  EXPECT_THROW(a_.broadcast_to({3, 4}), ShapeError);
  EXPECT_THROW(a_.broadcast_to({2, 3, -1}), ShapeError);
  EXPECT_THROW(xp::zeros({1}).broadcast_to({int64_t{1} << 62, 4}), ShapeError);
}

TEST_P(ViewTest, ABroadcastViewIsReadOnly) {
  const Array wide = xp::zeros({1}).broadcast_to({3});
  EXPECT_THAT([&] { wide.fill(1); },
              ThrowsMessage<ValueError>(
                  "fill: expected an array whose elements are distinct, got a "
                  "broadcast view of shape (3,)"));
  EXPECT_THROW(wide.assign(xp::zeros({3})), ValueError);
  EXPECT_THROW(wide += 1, ValueError);
  EXPECT_THAT(wide, IsArray(xp::zeros({3})));
}

TEST_P(ViewTest, ExpandDimsAndSqueezeAreInverse) {
  const Array b = a_.expand_dims(1);
  EXPECT_EQ(b.shape(), Shape({2, 1, 3, 4}));
  EXPECT_EQ(a_.expand_dims(-1).shape(), Shape({2, 3, 4, 1}));
  EXPECT_EQ(a_.expand_dims(3).shape(), Shape({2, 3, 4, 1}));
  EXPECT_THAT(b.squeeze({1}), IsArray(a_));
  EXPECT_THAT(b.expand_dims(0).squeeze(), IsArray(a_));
  EXPECT_TRUE(shares_memory(b, a_));
  EXPECT_EQ(b.expand_dims(0).squeeze({-3}).shape(), Shape({1, 2, 3, 4}));
}

TEST_P(ViewTest, OtherAxesCannotBeSqueezed) {
  EXPECT_THAT([&] { a_.squeeze({0}); },
              ThrowsMessage<ShapeError>("squeeze: expected axis 0 of shape "
                                        "(2, 3, 4) to have extent 1, got 2"));
  EXPECT_THROW(a_.squeeze({3}), IndexError);
  EXPECT_THROW(a_.expand_dims(4), IndexError);
  EXPECT_THROW(xp::zeros(Shape::filled(8, 1)).expand_dims(0), ShapeError);
}

TEST_P(ViewTest, WritingThroughAViewWritesTheArray) {
  const Array a = xp::zeros({2, 3}, Dtype::kInt64);
  a.T()[1].fill(5);
  a.reshape({3, 2})[2].fill(7);
  EXPECT_THAT(a, IsArray(xp::array({{0, 5, 0}, {0, 7, 7}})));
}

INSTANTIATE_TEST_SUITE_P(All, ViewTest, catena::testing::every_device(),
                         catena::testing::device_name);

}  // namespace
}  // namespace catena
