#include "catena/array/cuda/reduction_params.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>

#include "catena/cuda/launch_shape.h"

namespace catena::cuda {
namespace {

using array::ReduceArgs;

// The stride of the innermost axis of extent > 1, in bytes.
template <class Axis>
int64_t inner_stride(const Axis* axes, int naxes) {
  for (int i = naxes - 1; i >= 0; --i) {
    if (axes[i].extent > 1) return std::abs(axes[i].in_stride);
  }
  return std::numeric_limits<int64_t>::max();
}

int log_of_power_from(int64_t n) {
  return n <= 1 ? 0 : std::bit_width(static_cast<uint64_t>(n - 1));
}

constexpr int kLogThreads = 8;
static_assert(1 << kLogThreads == kBlockThreads);

int64_t output_blocks(int64_t outputs, int log_lanes) {
  return ceil_divide(outputs, kBlockThreads >> log_lanes);
}

}  // namespace

ReductionShape choose_reduction_shape(const ReduceArgs& args,
                                      int multiprocessors) {
  // As many blocks as run at once, 2048 threads per multiprocessor.
  const int64_t full = int64_t{multiprocessors} * (2048 / kBlockThreads);
  ReductionShape shape{};
  shape.rows = inner_stride(args.reduced, args.nreduced) <=
               inner_stride(args.kept, args.nkept);
  // Each lane should have work in every step of its loop.
  const int useful =
      log_of_power_from(ceil_divide(args.count, kReductionUnroll));
  if (shape.rows) {
    shape.log_lanes = std::min(useful, kLogThreads);
  } else {
    // A warp reads 32 neighbouring outputs; more only if there are many blocks.
    shape.log_lanes = std::min(
        useful, kLogThreads - std::min(log_of_power_from(args.outputs), 5));
    while (shape.log_lanes > 0 &&
           output_blocks(args.outputs, shape.log_lanes - 1) >= full) {
      --shape.log_lanes;
    }
  }
  shape.output_blocks = output_blocks(args.outputs, shape.log_lanes);
  // A block with only a few steps costs more than it saves.
  constexpr int64_t kFewestSteps = 4;
  const int64_t max_splits =
      args.count / (kFewestSteps * kReductionUnroll * shape.lanes());
  shape.splits = static_cast<int>(std::clamp<int64_t>(
      std::min(full / std::max<int64_t>(shape.output_blocks, 1), max_splits), 1,
      1024));
  return shape;
}

ReductionParams make_reduction_params(const ReduceArgs& args,
                                      const ReductionShape& shape,
                                      char* states) {
  ReductionParams params{};
  params.input = args.input;
  params.output = args.output;
  params.states = states;
  params.outputs = args.outputs;
  params.count = args.count;
  params.split_size = ceil_divide(args.count, shape.splits);
  params.shape = shape;
  params.nkept = args.nkept;
  params.nreduced = args.nreduced;
  for (int i = 0; i < args.nkept; ++i) {
    const ReduceArgs::Kept& axis = args.kept[i];
    params.kept[i] = {IndexDivider(axis.extent), axis.in_stride,
                      axis.out_stride};
  }
  for (int i = 0; i < args.nreduced; ++i) {
    const ReduceArgs::Reduced& axis = args.reduced[i];
    params.reduced[i] = {IndexDivider(std::max<int64_t>(axis.extent, 1)),
                         axis.in_stride, 0};
  }
  return params;
}

}  // namespace catena::cuda
