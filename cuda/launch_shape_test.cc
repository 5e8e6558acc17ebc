#include "catena/cuda/launch_shape.h"

#include <gtest/gtest.h>

namespace catena::cuda {
namespace {

TEST(LaunchShapeTest, AsksForNoMoreBlocksThanItemsNeed) {
  EXPECT_EQ(loop_blocks(0, 4, 660), 1);
  EXPECT_EQ(loop_blocks(1, 4, 660), 1);
  EXPECT_EQ(loop_blocks(1024, 4, 660), 1);
  EXPECT_EQ(loop_blocks(1025, 4, 660), 2);
}

TEST(LaunchShapeTest, AsksForNoMoreBlocksThanRunAtOnce) {
  EXPECT_EQ(loop_blocks(int64_t{1} << 40, 4, 660), 660);
}

}  // namespace
}  // namespace catena::cuda
