// The reduction kernels, run on the host.

#include "catena/array/cuda/reduction_steps.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "catena/array/cuda/reduction_params.h"
#include "catena/array/cuda/testing/device_emulation.h"
#include "catena/array/kernels/reduction_ops.h"
#include "catena/cuda/launch_shape.h"

namespace catena::cuda {
namespace {

using array::ArgMaxOp;
using array::MaxOp;
using array::ReduceArgs;
using array::SquaredDeviationsOp;
using array::SumOp;
using kernels::emulated::ReductionSteps;

constexpr int kResident = 16;

template <class Op, class T>
void run_kernel(const ReductionParams& params) {
  using Steps = ReductionSteps<Op, T>;
  constexpr ReductionTypes kTypes = Steps::kTypes;
  static typename Steps::State shared[kBlockThreads * kTypes.column_pack];
  const ReductionAccess access = params.shape.access;
  emulation::run_cooperative_grid(
      static_cast<int>(params.shape.blocks()), kBlockThreads, [&] {
        if (access.pack == 1) {
          Steps::template reduce<1, false>(params, shared);
        } else if (access.rows) {
          Steps::template reduce<kTypes.row_pack, false>(params, shared);
        } else {
          Steps::template reduce<kTypes.column_pack, true>(params, shared);
        }
      });
}

// Mirrors launch_reduction.
template <class Op, class T>
ReductionShape run(const ReduceArgs& args) {
  using Steps = ReductionSteps<Op, T>;
  const ReductionShape shape = choose_reduction_shape(
      args, choose_reduction_access(args, Steps::kTypes), kResident);
  std::vector<typename Steps::State> states(
      static_cast<size_t>(args.outputs * shape.splits));
  const ReductionParams params = make_reduction_params(
      args, shape, reinterpret_cast<char*>(states.data()));
  run_kernel<Op, T>(params);
  if (shape.splits > 1) {
    typename Steps::State shared[kBlockThreads];
    emulation::run_cooperative_grid(
        static_cast<int>(combining_blocks(args, shape)), kBlockThreads,
        [&] { Steps::combine_splits(params, shared); });
  }
  return shape;
}

struct Case {
  std::vector<int64_t> kept;
  std::vector<int64_t> reduced;
  bool kept_inside;   // whether the kept axes are the contiguous ones
  int64_t gap = 0;    // elements behind each of the innermost axis
  int64_t start = 0;  // elements before the first
};

// A C-contiguous array of floats, and its axes to reduce.
class Input {
 public:
  explicit Input(const Case& layout) {
    args_.nkept = static_cast<int>(layout.kept.size());
    args_.nreduced = static_cast<int>(layout.reduced.size());
    int64_t stride = 4;
    bool is_inner = true;
    const auto next = [&](int64_t extent) {
      stride *= extent;
      if (is_inner) stride += layout.gap * 4;
      is_inner = false;
    };
    const auto add_kept = [&] {
      for (int i = args_.nkept - 1; i >= 0; --i) {
        args_.kept[i].extent = layout.kept[static_cast<size_t>(i)];
        args_.kept[i].in_stride = stride;
        next(args_.kept[i].extent);
      }
    };
    if (layout.kept_inside) add_kept();
    args_.count = 1;
    for (int i = args_.nreduced - 1; i >= 0; --i) {
      const int64_t extent = layout.reduced[static_cast<size_t>(i)];
      args_.reduced[i] = {extent, stride};
      next(extent);
      args_.count *= extent;
    }
    if (!layout.kept_inside) add_kept();
    args_.outputs = 1;
    for (int i = 0; i < args_.nkept; ++i) args_.outputs *= args_.kept[i].extent;
    // The vector is aligned to 16 bytes.
    values_.resize(static_cast<size_t>(layout.start + stride / 4));
    std::mt19937 random(7);
    for (float& value : values_) value = static_cast<float>(random() % 97) - 48;
    args_.input = reinterpret_cast<const char*>(values_.data() + layout.start);
  }

  template <class R>
  ReduceArgs into(std::vector<R>& results) const {
    ReduceArgs args = args_;
    int64_t stride = sizeof(R);
    for (int i = args.nkept - 1; i >= 0; --i) {
      args.kept[i].out_stride = stride;
      stride *= args.kept[i].extent;
    }
    results.assign(static_cast<size_t>(args.outputs), R(-1));
    args.output = reinterpret_cast<char*>(results.data());
    return args;
  }

  // The elements that give an output, in order.
  std::vector<float> range(int64_t output) const {
    std::vector<float> elements;
    for (int64_t i = 0; i < args_.count; ++i) {
      const char* at = args_.input + offset(args_.kept, args_.nkept, output) +
                       offset(args_.reduced, args_.nreduced, i);
      elements.push_back(*reinterpret_cast<const float*>(at));
    }
    return elements;
  }

 private:
  template <class Axis>
  static int64_t offset(const Axis* axes, int naxes, int64_t index) {
    int64_t result = 0;
    for (int i = naxes - 1; i >= 0; --i) {
      result += index % axes[i].extent * axes[i].in_stride;
      index /= axes[i].extent;
    }
    return result;
  }

  ReduceArgs args_{};
  std::vector<float> values_;
};

class ReductionStepsTest : public testing::TestWithParam<Case> {};

TEST_P(ReductionStepsTest, EveryElementIsReducedOnce) {
  const Input input(GetParam());
  std::vector<float> sums;
  run<SumOp, float>(input.into(sums));
  for (size_t i = 0; i < sums.size(); ++i) {
    double expected = 0;
    for (const float x : input.range(static_cast<int64_t>(i))) expected += x;
    EXPECT_EQ(sums[i], expected) << i;
  }
}

TEST_P(ReductionStepsTest, PositionsAreKept) {
  const Input input(GetParam());
  std::vector<int64_t> positions;
  run<ArgMaxOp, float>(input.into(positions));
  for (size_t i = 0; i < positions.size(); ++i) {
    const std::vector<float> range = input.range(static_cast<int64_t>(i));
    EXPECT_EQ(positions[i],
              std::max_element(range.begin(), range.end()) - range.begin());
  }
}

TEST_P(ReductionStepsTest, DeviationsArePutTogether) {
  const Input input(GetParam());
  std::vector<double> deviations;
  run<SquaredDeviationsOp, float>(input.into(deviations));
  for (size_t i = 0; i < deviations.size(); ++i) {
    const std::vector<float> range = input.range(static_cast<int64_t>(i));
    double mean = 0;
    for (const float x : range) mean += x / static_cast<double>(range.size());
    double expected = 0;
    for (const float x : range) expected += (x - mean) * (x - mean);
    EXPECT_NEAR(deviations[i], expected, 1e-10 * (1 + expected)) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, ReductionStepsTest,
    testing::Values(Case{{1}, {1}, false},         // one lane
                    Case{{70}, {3}, false},        // short rows
                    Case{{5}, {100}, false},       // a warp for each row
                    Case{{2, 3}, {7, 41}, false},  // several axes, half a block
                    Case{{2}, {1100}, false},      // a block for each row
                    Case{{1}, {20000}, false},     // split
                    Case{{2}, {1101}, false, 0, 3},  // rows that start anywhere
                    Case{{33}, {130}, false, 3, 1},  // far apart
                    Case{{3}, {20001}, false, 2, 1},  // split
                    Case{{1}, {3, 7001}, false, 2},   // several axes, split
                    Case{{40}, {30}, true},           // packs of columns
                    Case{{41}, {30}, true},           // single columns
                    Case{{40}, {30}, true, 0, 1},     // unaligned
                    Case{{3, 8}, {30}, true},         // several kept axes
                    Case{{4}, {11, 500}, true, 4},    // a pack, several axes
                    Case{{8}, {5000}, true, 4},       // few packs, split
                    Case{{3}, {11, 500}, true},       // narrow columns, split
                    Case{{5000}, {2}, true}));        // many columns

TEST(ReductionShapeTest, TheCasesAboveMeetEveryWay) {
  const auto shape_of = [](const Case& layout) {
    const Input input(layout);
    std::vector<float> results;
    const ReduceArgs args = input.into(results);
    return choose_reduction_shape(
        args,
        choose_reduction_access(args, ReductionSteps<SumOp, float>::kTypes),
        kResident);
  };
  EXPECT_GT(shape_of({{1}, {20000}, false}).splits, 1);
  EXPECT_GT(shape_of({{3}, {20001}, false, 2, 1}).splits, 1);
  EXPECT_EQ(shape_of({{3}, {20001}, false, 2, 1}).access.pack, 4);
  EXPECT_GT(shape_of({{1}, {3, 7001}, false, 2}).splits, 1);
  EXPECT_EQ(shape_of({{1}, {3, 7001}, false, 2}).access.pack, 1);
  EXPECT_EQ(shape_of({{70}, {3}, false}).access.pack, 1);
  EXPECT_EQ(shape_of({{2, 3}, {7, 41}, false}).access.pack, 1);
  EXPECT_GT(shape_of({{8}, {5000}, true, 4}).splits, 1);
  EXPECT_EQ(shape_of({{8}, {5000}, true, 4}).access.pack, 4);
  EXPECT_EQ(shape_of({{40}, {30}, true}).access.pack, 4);
  EXPECT_EQ(shape_of({{40}, {30}, true, 0, 1}).access.pack, 1);
  EXPECT_GT(shape_of({{3}, {11, 500}, true}).splits, 1);
  EXPECT_FALSE(shape_of({{3}, {11, 500}, true}).access.rows);
  EXPECT_EQ(shape_of({{2}, {1100}, false}).lanes(), 128);
  EXPECT_EQ(shape_of({{5000}, {2}, true}).lanes(), 1);
}

TEST(ReductionOfNothingTest, GivesTheIdentity) {
  float dummy = 0;
  std::vector<float> sums(3, -1);
  ReduceArgs args{};
  args.nkept = args.nreduced = 1;
  args.kept[0] = {3, 4, 4};
  args.reduced[0] = {0, 4};
  args.outputs = 3;
  args.input = reinterpret_cast<const char*>(&dummy);
  args.output = reinterpret_cast<char*>(sums.data());
  run<SumOp, float>(args);
  EXPECT_EQ(sums, std::vector<float>(3, 0));
}

}  // namespace
}  // namespace catena::cuda
