#include "catena/array/user_kernel/user_reduction_shape.h"

#include <gtest/gtest.h>

namespace catena::cuda {
namespace {

constexpr int64_t kResident = 800;

TEST(UserReductionShapeTest, OneLargeOutputIsCutIntoPartsThatFillTheGpu) {
  EXPECT_EQ(user_reduction_shape(1, 1 << 30, false, kResident),
            (UserReductionShape{256, 800, 800}));
}

TEST(UserReductionShapeTest, ASmallOneIsNotCut) {
  EXPECT_EQ(user_reduction_shape(1, 1000, false, kResident),
            (UserReductionShape{256, 1, 1}));
  EXPECT_EQ(user_reduction_shape(1, 0, false, kResident),
            (UserReductionShape{1, 1, 1}));
}

TEST(UserReductionShapeTest, ShortRowsShareABlock) {
  EXPECT_EQ(user_reduction_shape(1000, 5, false, kResident),
            (UserReductionShape{8, 1, 32}));
}

TEST(UserReductionShapeTest, ColumnsHaveAThreadEach) {
  EXPECT_EQ(user_reduction_shape(1 << 20, 100, true, kResident),
            (UserReductionShape{1, 1, 800}));
  EXPECT_EQ(user_reduction_shape(512, 1 << 20, true, kResident),
            (UserReductionShape{1, 400, 800}));
}

}  // namespace
}  // namespace catena::cuda
