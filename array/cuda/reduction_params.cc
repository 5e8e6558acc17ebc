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

// The lengths of a range and of the outputs as the kernels count them.
int64_t steps(const ReduceArgs& args, const ReductionAccess& access) {
  return ceil_divide(args.count, access.elements());
}
int64_t outputs(const ReduceArgs& args, const ReductionAccess& access) {
  return args.outputs / access.outputs();
}

// Whether packs of adjacent outputs are aligned wherever they start, and none
// reaches past its axis's end.
bool has_column_packs(const ReduceArgs& args, const ReductionTypes& types) {
  const int64_t bytes = int64_t{types.column_pack} * types.item_size;
  const auto is_aligned = [&](int64_t extent, int64_t stride) {
    return extent <= 1 || stride % bytes == 0;
  };
  const ReduceArgs::Kept& inner = args.kept[args.nkept - 1];
  const ReduceArgs::Reduced& reduced = args.reduced[0];
  bool result = args.nreduced == 1 && inner.in_stride == types.item_size &&
                inner.extent % types.column_pack == 0 &&
                reinterpret_cast<intptr_t>(args.input) % bytes == 0 &&
                is_aligned(reduced.extent, reduced.in_stride);
  for (int i = 0; i < args.nkept - 1; ++i) {
    result &= is_aligned(args.kept[i].extent, args.kept[i].in_stride);
  }
  return result;
}

// Rows may start anywhere: the kernel reads by elements what does not fill an
// aligned pack. Four lanes with a full step are worth that.
bool has_row_packs(const ReduceArgs& args, const ReductionTypes& types) {
  constexpr int64_t kFewestPacks = 4 * kReductionUnroll;
  return args.nreduced == 1 && args.reduced[0].in_stride == types.item_size &&
         args.count >= kFewestPacks * types.row_pack;
}

// The number of blocks that share the range of an output. All run at once, if
// that occupies most of the device, else there are enough for the last to be
// few.
int64_t choose_splits(int64_t output_blocks, int64_t resident) {
  constexpr int64_t kWaves = 4;
  const int64_t one_wave = resident / output_blocks;
  if (output_blocks >= kWaves * resident) return 1;
  if (one_wave * output_blocks >= resident - resident / 8) return one_wave;
  return ceil_divide(kWaves * resident, output_blocks);
}

}  // namespace

ReductionAccess choose_reduction_access(const ReduceArgs& args,
                                        const ReductionTypes& types) {
  const bool rows = inner_stride(args.reduced, args.nreduced) <=
                    inner_stride(args.kept, args.nkept);
  if (rows && has_row_packs(args, types)) return {rows, types.row_pack};
  if (!rows && has_column_packs(args, types)) return {rows, types.column_pack};
  return {rows, 1};
}

ReductionShape choose_reduction_shape(const ReduceArgs& args,
                                      const ReductionAccess& access,
                                      int64_t resident) {
  ReductionShape shape{};
  shape.access = access;
  const int64_t nsteps = steps(args, access);
  const int64_t noutputs = outputs(args, access);
  // Each lane should have work in every step of its loop.
  const int useful = log_of_power_from(ceil_divide(nsteps, kReductionUnroll));
  if (access.rows) {
    shape.log_lanes = std::min(useful, kLogThreads);
  } else {
    // A warp reads 32 neighbouring outputs; more only if there are many blocks.
    shape.log_lanes = std::min(
        useful, kLogThreads - std::min(log_of_power_from(noutputs), 5));
    while (shape.log_lanes > 0 &&
           output_blocks(noutputs, shape.log_lanes - 1) >= resident) {
      --shape.log_lanes;
    }
  }
  shape.output_blocks = output_blocks(noutputs, shape.log_lanes);
  // The second kernel takes as long as some steps.
  constexpr int64_t kFewestSteps = 2;
  constexpr int64_t kMaxSplits = 2048;
  const int64_t max_splits =
      nsteps / (kFewestSteps * kReductionUnroll * shape.lanes());
  shape.splits = static_cast<int>(std::clamp<int64_t>(
      std::min(
          choose_splits(std::max<int64_t>(shape.output_blocks, 1), resident),
          max_splits),
      1, kMaxSplits));
  shape.log_split_lanes =
      std::min(log_of_power_from(shape.splits), kLogThreads);
  return shape;
}

int64_t combining_blocks(const ReduceArgs& args, const ReductionShape& shape) {
  return output_blocks(args.outputs, shape.log_split_lanes);
}

ReductionParams make_reduction_params(const ReduceArgs& args,
                                      const ReductionShape& shape,
                                      char* states) {
  ReductionParams params{};
  params.input = args.input;
  params.output = args.output;
  params.states = states;
  params.outputs = outputs(args, shape.access);
  params.count = args.count;
  params.split_size = ceil_divide(steps(args, shape.access), shape.splits);
  params.out_step = args.kept[args.nkept - 1].out_stride;
  params.shape = shape;
  params.nkept = args.nkept;
  params.nreduced = args.nreduced;
  for (int i = 0; i < args.nkept; ++i) {
    const ReduceArgs::Kept& axis = args.kept[i];
    const int64_t pack = i == args.nkept - 1 ? shape.access.outputs() : 1;
    params.kept[i] = {IndexDivider(axis.extent / pack), axis.in_stride * pack,
                      axis.out_stride * pack};
  }
  for (int i = 0; i < args.nreduced; ++i) {
    const ReduceArgs::Reduced& axis = args.reduced[i];
    const int64_t pack = i == args.nreduced - 1 ? shape.access.elements() : 1;
    params.reduced[i] = {IndexDivider(std::max<int64_t>(axis.extent / pack, 1)),
                         axis.in_stride * pack, 0};
  }
  return params;
}

}  // namespace catena::cuda
