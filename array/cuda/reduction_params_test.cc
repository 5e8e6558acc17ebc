#include "catena/array/cuda/reduction_params.h"

#include <gtest/gtest.h>

#include "catena/cuda/launch_shape.h"

namespace catena::cuda {
namespace {

using array::ReduceArgs;

constexpr int kMultiprocessors = 132;

// A C-contiguous float matrix whose rows or columns are reduced.
ReduceArgs matrix(int64_t outputs, int64_t count, bool rows) {
  ReduceArgs args{};
  args.outputs = outputs;
  args.count = count;
  args.nkept = args.nreduced = 1;
  args.kept[0] = {outputs, rows ? 4 * count : 4, 4};
  args.reduced[0] = {count, rows ? 4 : 4 * outputs};
  return args;
}

ReductionShape shape_of(const ReduceArgs& args) {
  return choose_reduction_shape(args, kMultiprocessors);
}

// Checks what the kernels assume.
void expect_valid(const ReduceArgs& args) {
  const ReductionShape shape = shape_of(args);
  EXPECT_GE(shape.log_lanes, 0);
  EXPECT_LE(shape.lanes(), kBlockThreads);
  EXPECT_GE(shape.output_blocks * (kBlockThreads / shape.lanes()),
            args.outputs);
  EXPECT_GE(shape.splits, 1);
  const ReductionParams params = make_reduction_params(args, shape, nullptr);
  EXPECT_GE(params.split_size * shape.splits, args.count);
}

TEST(ReductionShapeTest, LongRowsHaveABlockEach) {
  const ReductionShape shape = shape_of(matrix(10000, 5000, true));
  EXPECT_TRUE(shape.rows);
  EXPECT_EQ(shape.lanes(), kBlockThreads);
  EXPECT_EQ(shape.output_blocks, 10000);
  EXPECT_EQ(shape.splits, 1);
}

TEST(ReductionShapeTest, ShortRowsShareABlock) {
  const ReductionShape shape = shape_of(matrix(100000, 10, true));
  EXPECT_TRUE(shape.rows);
  EXPECT_EQ(shape.lanes(), 4);
  EXPECT_EQ(shape.output_blocks, 100000 / 64 + 1);
}

TEST(ReductionShapeTest, ColumnsAreReadAWarpAtATime) {
  const ReductionShape shape = shape_of(matrix(1000, 1 << 20, false));
  EXPECT_FALSE(shape.rows);
  EXPECT_EQ(kBlockThreads / shape.lanes(), 32);
  EXPECT_GT(shape.splits, 1);
}

TEST(ReductionShapeTest, ManyColumnsNeedNoLanes) {
  const ReductionShape shape = shape_of(matrix(1 << 22, 1000, false));
  EXPECT_EQ(shape.lanes(), 1);
  EXPECT_EQ(shape.splits, 1);
}

TEST(ReductionShapeTest, OneOutputOfManyInputsIsSplitOverTheWholeDevice) {
  const ReductionShape shape = shape_of(matrix(1, 1 << 24, true));
  EXPECT_TRUE(shape.rows);
  EXPECT_EQ(shape.output_blocks, 1);
  EXPECT_GE(shape.splits, kMultiprocessors);
  EXPECT_LE(shape.splits, 1024);
}

TEST(ReductionShapeTest, OneOutputOfFewInputsIsNotSplit) {
  EXPECT_EQ(shape_of(matrix(1, 4000, true)).splits, 1);
}

TEST(ReductionShapeTest, IsTheSameEveryTime) {
  const ReduceArgs args = matrix(3, 1234567, false);
  const ReductionShape a = shape_of(args);
  const ReductionShape b = shape_of(args);
  EXPECT_EQ(a.splits, b.splits);
  EXPECT_EQ(a.log_lanes, b.log_lanes);
}

TEST(ReductionShapeTest, CoversEveryShape) {
  for (const bool rows : {false, true}) {
    for (const int64_t outputs : {1, 2, 31, 33, 1000, 70000}) {
      for (const int64_t count : {0, 1, 3, 4, 5, 255, 257, 100000}) {
        SCOPED_TRACE(testing::Message()
                     << rows << ' ' << outputs << ' ' << count);
        expect_valid(matrix(outputs, count, rows));
      }
    }
  }
  expect_valid(matrix(1, int64_t{1} << 36, true));
  expect_valid(matrix(int64_t{1} << 34, 2, false));
}

}  // namespace
}  // namespace catena::cuda
