#include "catena/array/user_kernel/user_reduction_shape.h"

#include <gtest/gtest.h>

namespace catena::cuda {
namespace {

constexpr int kMultiprocessors = 100;  // 800 blocks at once

TEST(UserReductionShapeTest, OneLargeOutputIsCutIntoPartsThatFillTheGpu) {
  EXPECT_EQ(user_reduction_shape(1, 1 << 30, false, kMultiprocessors),
            (UserReductionShape{256, 800, 800}));
}

TEST(UserReductionShapeTest, ASmallOneIsNotCut) {
  EXPECT_EQ(user_reduction_shape(1, 1000, false, kMultiprocessors),
            (UserReductionShape{256, 1, 1}));
  EXPECT_EQ(user_reduction_shape(1, 0, false, kMultiprocessors),
            (UserReductionShape{1, 1, 1}));
}

TEST(UserReductionShapeTest, ShortRowsShareABlock) {
  EXPECT_EQ(user_reduction_shape(1000, 5, false, kMultiprocessors),
            (UserReductionShape{8, 1, 32}));
}

TEST(UserReductionShapeTest, ColumnsHaveAThreadEach) {
  EXPECT_EQ(user_reduction_shape(1 << 20, 100, true, kMultiprocessors),
            (UserReductionShape{1, 1, 800}));
  EXPECT_EQ(user_reduction_shape(512, 1 << 20, true, kMultiprocessors),
            (UserReductionShape{1, 400, 800}));
}

}  // namespace
}  // namespace catena::cuda
