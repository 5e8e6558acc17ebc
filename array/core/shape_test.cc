#include "catena/array/core/shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "catena/array/core/error.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

using ::catena::testing::error_of;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(ShapeTest, IsAListOfItsExtents) {
  Shape shape = {2, 3, 4};
  EXPECT_EQ(shape.ndim(), 3);
  EXPECT_EQ(shape.back(), 4);
  EXPECT_EQ(shape, Shape({2, 3, 4}));
  shape.insert(1, 7);
  EXPECT_EQ(shape, Shape({2, 7, 3, 4}));
  shape.erase(0);
  EXPECT_EQ(shape, Shape({7, 3, 4}));
  shape.push_back(5);
  EXPECT_TRUE(shape.contains(5));
  EXPECT_FALSE(shape.contains(2));
  shape.clear();
  EXPECT_TRUE(shape.empty());
  EXPECT_EQ(shape, Shape());
}

TEST(ShapeTest, ShapesAreEqualWhenAllExtentsAre) {
  EXPECT_EQ(Shape({2, 3}), Shape(std::vector<int64_t>{2, 3}));
  EXPECT_NE(Shape({2, 3}), Shape({2}));
  EXPECT_NE(Shape({2, 3}), Shape({3, 2}));
  EXPECT_EQ(Shape::filled(3, 1), Shape({1, 1, 1}));
}

TEST(ShapeTest, TextIsPythonsTuple) {
  EXPECT_EQ(to_string(Shape()), "()");
  EXPECT_EQ(to_string(Shape({3})), "(3,)");
  EXPECT_EQ(to_string(Shape({2, -1})), "(2, -1)");
}

TEST(ShapeTest, MoreThanEightAxesAreRefused) {
  Shape shape = Shape::filled(8, 1);
  EXPECT_THAT(error_of<ShapeError>([&] { shape.push_back(1); }),
              "Shape: expected at most 8 axes, got 9");
  EXPECT_EQ(shape.size(), 8);
  EXPECT_THROW(Shape(std::vector<int64_t>(9, 1)), ShapeError);
}

TEST(ShapeTest, SizeCountsElements) {
  EXPECT_EQ(checked_size({2, 3, 4}, 4, "op"), 24);
  EXPECT_EQ(checked_size({}, 8, "op"), 1);
  EXPECT_EQ(checked_size({kMax / 4}, 4, "op"), kMax / 4);
}

TEST(ShapeTest, AZeroExtentMakesTheSizeZeroUnlessTheStridesOverflow) {
  EXPECT_EQ(checked_size({0, 3, 4}, 8, "op"), 0);
  EXPECT_EQ(checked_size({kMax / 16, 0}, 8, "op"), 0);
  EXPECT_THROW(checked_size({0, kMax, kMax}, 8, "op"), ShapeError);
  EXPECT_THROW(checked_size({kMax, kMax, 0}, 8, "op"), ShapeError);
}

TEST(ShapeTest, BadSizesAreRefusedWithTheOperationsName) {
  EXPECT_THAT(error_of<ShapeError>([] {
                checked_size({2, -3}, 4, "zeros");
              }),
              "zeros: expected extents of at least 0, got (2, -3)");
  EXPECT_THROW(checked_size({0, -3}, 4, "zeros"), ShapeError);
  EXPECT_THROW(checked_size({kMax}, 2, "zeros"), ShapeError);
  EXPECT_THROW(checked_size({int64_t{1} << 32, int64_t{1} << 31}, 1, "zeros"),
               ShapeError);
  // Wraps round to a harmless number.
  EXPECT_THROW(checked_size({int64_t{1} << 32, int64_t{1} << 32}, 4, "zeros"),
               ShapeError);
}

TEST(ShapeTest, ContiguousStridesFallFromTheLeft) {
  EXPECT_EQ(contiguous_strides({2, 3, 4}, 8), Shape({96, 32, 8}));
  EXPECT_EQ(contiguous_strides({}, 8), Shape({}));
  EXPECT_EQ(contiguous_strides({2, 0, 4}, 4), Shape({16, 16, 4}));
}

TEST(BroadcastTest, ExtentsOfOneAndMissingAxesStretch) {
  EXPECT_EQ(broadcast_shapes({3}, {2, 1}, "op"), Shape({2, 3}));
  EXPECT_EQ(broadcast_shapes({}, {2, 3}, "op"), Shape({2, 3}));
  EXPECT_EQ(broadcast_shapes({2, 1, 4}, {3, 1}, "op"), Shape({2, 3, 4}));
  EXPECT_EQ(broadcast_shapes({1}, {0}, "op"), Shape({0}));
}

TEST(BroadcastTest, OtherShapesAreRefusedWithBothNamed) {
  EXPECT_THAT(error_of<ShapeError>([] {
                broadcast_shapes({2, 3}, {2}, "add");
              }),
              "add: shapes (2, 3) and (2,) cannot "
              "be broadcast together");
  EXPECT_THROW(broadcast_shapes({0}, {2}, "add"), ShapeError);
}

TEST(AxisTest, NegativeAxesCountFromTheEnd) {
  EXPECT_EQ(normalize_axis(-1, 3, "op"), 2);
  EXPECT_EQ(normalize_axis(-3, 3, "op"), 0);
  EXPECT_EQ(normalize_axis(2, 3, "op"), 2);
  EXPECT_EQ(normalize_axes({2, -3}, 3, "op"), Shape({0, 2}));
  EXPECT_EQ(normalize_axes({}, 2, "op"), Shape());
}

TEST(AxisTest, AxesOutOfRangeOrRepeatedAreRefused) {
  EXPECT_THAT(error_of<IndexError>([] { normalize_axis(3, 3, "sum"); }),
              "sum: axis 3 is out of range for an array of 3 axes");
  EXPECT_THAT(error_of<IndexError>([] { normalize_axis(-2, 1, "sum"); }),
              "sum: axis -2 is out of range for an array of 1 axis");
  EXPECT_THROW(normalize_axis(0, 0, "sum"), IndexError);
  EXPECT_THAT(error_of<ValueError>([] {
                normalize_axes({1, -1}, 2, "sum");
              }),
              "sum: axis -1 is given twice in (1, -1)");
}

}  // namespace
}  // namespace catena
