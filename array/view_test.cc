// Transposes, reshapes and broadcasts.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/array.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

namespace xp = catena::array;
using ::catena::testing::error_of;
using catena::testing::IsArray;

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
  EXPECT_THAT(error_of<ValueError>([&] {
                a_.transpose({0, 1});
              }),
              "transpose: expected 3 axes for shape "
              "(2, 3, 4), got (0, 1)");
  EXPECT_THROW(a_.transpose({0, 1, 3}), IndexError);
  EXPECT_THAT(error_of<ValueError>([&] {
                a_.transpose({0, 1, -2});
              }),
              "transpose: axis -2 is given twice in (0, 1, -2)");
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
  EXPECT_THAT(error_of<ShapeError>([&] {
                a_.reshape({5, 5});
              }),
              "reshape: cannot make shape (5, 5) from "
              "24 elements of shape (2, 3, 4)");
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
  EXPECT_THAT(error_of<ShapeError>([&] {
                a_.broadcast_to({2, 3, 5});
              }),
              "broadcast_to: cannot broadcast shape "
              "(2, 3, 4) to (2, 3, 5)");
  EXPECT_THROW(a_.broadcast_to({3, 4}), ShapeError);
  EXPECT_THROW(a_.broadcast_to({2, 3, -1}), ShapeError);
  EXPECT_THROW(xp::zeros({1}).broadcast_to({int64_t{1} << 62, 4}), ShapeError);
}

TEST_P(ViewTest, ABroadcastViewIsReadOnly) {
  const Array wide = xp::zeros({1}).broadcast_to({3});
  EXPECT_THAT(error_of<ValueError>([&] { wide.fill(1); }),
              "fill: expected an array whose elements are distinct, got a "
              "broadcast view of shape (3,)");
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
  EXPECT_THAT(error_of<ShapeError>([&] { a_.squeeze({0}); }),
              "squeeze: expected axis 0 of shape "
              "(2, 3, 4) to have extent 1, got 2");
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

TEST_P(ViewTest, OtherDtypesSeeTheSameBytes) {
  const Array a = array::array({{1.0f, -2.0f}, {0.0f, 1.5f}});
  const Array bits = a.view(Dtype::kUInt32);
  EXPECT_THAT(bits,
              IsArray(array::array({{int64_t{0x3f800000}, int64_t{0xc0000000}},
                                    {int64_t{0}, int64_t{0x3fc00000}}},
                                   Dtype::kUInt32)));
  bits[{0, 1}].fill(0x40000000);
  EXPECT_EQ((a[{0, 1}].item<float>()), 2.0f);
  const Array halves = a.view(Dtype::kUInt16);
  EXPECT_EQ(halves.shape(), Shape({2, 4}));
  EXPECT_EQ((halves[{1, 3}].item<int>()), 0x3fc0);
  EXPECT_EQ(a.view(Dtype::kInt64).shape(), Shape({2, 1}));
  EXPECT_EQ(a.T().view(Dtype::kInt32).shape(), Shape({2, 2}));
  EXPECT_EQ(array::zeros({0, 4}, Dtype::kInt8).view(Dtype::kInt32).shape(),
            Shape({0, 1}));
  EXPECT_TRUE(a.view().is_same(a));
}

TEST_P(ViewTest, BytesThatMakeNoWholeItemsAreRefused) {
  const Array a = array::zeros({2, 3}, Dtype::kInt16);
  EXPECT_THAT(
      error_of<ShapeError>([&] { a.view(Dtype::kInt32); }),
      "view: expected a contiguous last axis whose bytes divide into items "
      "of int32, got int16 of shape (2, 3) and strides (6, 2)");
  EXPECT_THROW(a.T().view(Dtype::kInt8), ShapeError);
  EXPECT_THROW(array::array(1.0).view(Dtype::kInt8), ShapeError);
  EXPECT_THROW(a.view(Dtype::kBool), DtypeError);
  const Array bytes = array::zeros({9}, Dtype::kInt8);
  EXPECT_THROW(bytes[{Slice(1, 9)}].view(Dtype::kInt32), ValueError);
}

TEST_P(ViewTest, FlattenCopiesInCOrder) {
  const Array a = array::arange(6).reshape({2, 3});
  const Array flat = a.flatten();
  EXPECT_THAT(flat, IsArray(array::arange(6)));
  EXPECT_NE(flat.storage(), a.storage());
  EXPECT_THAT(a.T().flatten(), IsArray(array::array({0, 3, 1, 4, 2, 5})));
  EXPECT_EQ(array::array(3).flatten().shape(), Shape({1}));
}

TEST_P(ViewTest, ToVectorGivesTheElementsInCOrderOnTheHost) {
  const Array a = array::arange(6).reshape({2, 3});
  EXPECT_EQ(a.T().to_vector<int64_t>(),
            (std::vector<int64_t>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(a.to_vector<float>(), (std::vector<float>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ((a[{1, Slice(0, 2)}].to_vector<bool>()),
            (std::vector<bool>{true, true}));
  EXPECT_EQ(array::zeros({0, 3}).to_vector<double>(), std::vector<double>());
  EXPECT_EQ(array::array(2.5).to_vector<int>(), std::vector<int>{2});
}

TEST_P(ViewTest, IterationGoesAlongTheFirstAxis) {
  const Array a = array::arange(6).reshape({3, 2});
  EXPECT_EQ(a.len(), 3);
  int64_t count = 0;
  for (const Array& row : a) {
    EXPECT_THAT(row, IsArray(array::array({2 * count, 2 * count + 1})));
    row.fill(7);
    ++count;
  }
  EXPECT_EQ(count, 3);
  EXPECT_THAT(a, IsArray(array::full({3, 2}, 7)));
  for (const Array& row : array::zeros({0, 2})) ADD_FAILURE() << row.size();
  const Array number = array::array(1);
  EXPECT_THAT(error_of<ShapeError>([&] { number.len(); }),
              "len: expected an array with at least "
              "one axis, got shape ()");
  EXPECT_THROW(number.begin(), ShapeError);
}

INSTANTIATE_TEST_SUITE_P(All, ViewTest, catena::testing::every_device(),
                         catena::testing::device_name);

}  // namespace
}  // namespace catena
