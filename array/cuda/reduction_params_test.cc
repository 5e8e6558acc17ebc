#include "catena/array/cuda/reduction_params.h"

#include <gtest/gtest.h>

#include "catena/cuda/launch_shape.h"

namespace catena::cuda {
namespace {

using array::ReduceArgs;

// A kernel of 40 registers on 132 multiprocessors.
constexpr int64_t kResident = 132 * 6;

constexpr ReductionTypes kFloat{4, 4, 4};
constexpr ReductionTypes kNoPacks{4, 1, 1};

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

ReductionShape shape_of(const ReduceArgs& args,
                        const ReductionTypes& types = kFloat) {
  return choose_reduction_shape(args, choose_reduction_access(args, types),
                                kResident);
}

// Checks what the kernels assume.
void expect_valid(const ReduceArgs& args, const ReductionTypes& types) {
  const ReductionShape shape = shape_of(args, types);
  EXPECT_GE(shape.log_lanes, 0);
  EXPECT_LE(shape.lanes(), kBlockThreads);
  EXPECT_GE(shape.output_blocks * (kBlockThreads / shape.lanes()) *
                shape.access.outputs(),
            args.outputs);
  EXPECT_GE(shape.splits, 1);
  EXPECT_GE(
      combining_blocks(args, shape) * (kBlockThreads >> shape.log_split_lanes),
      args.outputs);
  const ReductionParams params = make_reduction_params(args, shape, nullptr);
  EXPECT_EQ(params.outputs * shape.access.outputs(), args.outputs);
  EXPECT_GE(params.split_size * shape.splits * shape.access.elements(),
            args.count);
}

TEST(ReductionAccessTest, LongRowsAreReadInPacksWhereverTheyStart) {
  ReduceArgs args = matrix(100, 1001, true);
  args.input += 4;
  EXPECT_EQ(choose_reduction_access(args, kFloat).pack, 4);
  args.reduced[0].in_stride = 8;
  EXPECT_EQ(choose_reduction_access(args, kFloat).pack, 1) << "not adjacent";
  EXPECT_EQ(choose_reduction_access(matrix(100, 63, true), kFloat).pack, 1)
      << "too short";
  EXPECT_EQ(choose_reduction_access(matrix(100, 1001, true), kNoPacks).pack, 1);
}

TEST(ReductionAccessTest, ColumnsAreReadInPacksIfAllOfThemAreAligned) {
  const ReduceArgs args = matrix(100, 1001, false);
  EXPECT_EQ(choose_reduction_access(args, kFloat).pack, 4);
  EXPECT_EQ(choose_reduction_access(args, kNoPacks).pack, 1);
  ReduceArgs odd_start = args;
  odd_start.input += 8;
  EXPECT_EQ(choose_reduction_access(odd_start, kFloat).pack, 1);
  ReduceArgs odd_rows = args;
  odd_rows.reduced[0].in_stride += 4;
  EXPECT_EQ(choose_reduction_access(odd_rows, kFloat).pack, 1);
  EXPECT_EQ(choose_reduction_access(matrix(102, 1001, false), kFloat).pack, 1);
  ReduceArgs outer = args;
  outer.nkept = 2;
  outer.kept[1] = outer.kept[0];
  outer.kept[0] = {3, 4004 * 100, 400};
  EXPECT_EQ(choose_reduction_access(outer, kFloat).pack, 4);
  outer.kept[0].in_stride += 4;
  EXPECT_EQ(choose_reduction_access(outer, kFloat).pack, 1);
}

TEST(ReductionShapeTest, LongRowsHaveABlockEach) {
  const ReductionShape shape = shape_of(matrix(10000, 5000, true));
  EXPECT_TRUE(shape.access.rows);
  EXPECT_EQ(shape.lanes(), kBlockThreads);
  EXPECT_EQ(shape.output_blocks, 10000);
  EXPECT_EQ(shape.splits, 1);
}

TEST(ReductionShapeTest, ShortRowsShareABlock) {
  const ReductionShape shape = shape_of(matrix(100000, 10, true));
  EXPECT_TRUE(shape.access.rows);
  EXPECT_EQ(shape.lanes(), 4);
  EXPECT_EQ(shape.output_blocks, 100000 / 64 + 1);
}

TEST(ReductionShapeTest, ColumnsAreReadAWarpAtATime) {
  const ReductionShape shape = shape_of(matrix(1000, 1 << 20, false));
  EXPECT_FALSE(shape.access.rows);
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
  EXPECT_TRUE(shape.access.rows);
  EXPECT_EQ(shape.output_blocks, 1);
  EXPECT_EQ(shape.splits, kResident);
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
        expect_valid(matrix(outputs, count, rows), kFloat);
        expect_valid(matrix(outputs, count, rows), kNoPacks);
      }
    }
  }
  expect_valid(matrix(1, int64_t{1} << 36, true), kFloat);
  expect_valid(matrix(int64_t{1} << 34, 2, false), kFloat);
}

}  // namespace
}  // namespace catena::cuda
