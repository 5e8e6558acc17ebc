#pragma once

// CUDA row kernels: the same functors as the CPU's RowLoop (row_loop.h). A row
// has some lanes of a warp, a warp or a block, by its length, and is kept in
// their registers unless it is very long.

#include <algorithm>
#include <bit>
#include <cstdint>

#include "catena/array/cuda/fast_divider.h"
#include "catena/cuda/element.cuh"
#include "catena/cuda/launch.h"
#include "catena/functions/engines/rows/row_args.h"
#include "catena/functions/engines/rows/row_threads.cuh"
#include "catena/functions/engines/rows/row_view.cuh"

namespace catena::kernels::CATENA_BACKEND {

// The operands' layout, see RowArgs, and how rows are computed.
struct RowParams {
  int64_t rows;
  int64_t length;
  int64_t inner;
  catena::cuda::IndexDivider by_inner;
  char* operands[functions::kMaxRowOperands];
  RowLayout layout;
  // How far apart the two sums of a column are in a block's memory; 0: a row is
  // too long for that.
  int totals_step;
};

// The most threads of a row, which have registers for what they keep.
template <class Op>
inline constexpr int kMaxRowThreads = functions::adds_columns<Op>() ? 256 : 512;

// The number of column totals that fit into a block's memory.
template <class S>
inline constexpr int kBlockTotals =
    static_cast<int>((32 << 10) / sizeof(catena::cuda::Compute<S>));

template <class Op, class S, bool kIsKept, bool kIsPacked>
__device__ __forceinline__ void compute_rows(
    const Op& op, const RowParams& params, const RowThreads& threads,
    const ColumnTotals<catena::cuda::Compute<S>>& totals) {
  constexpr int kShared = functions::shared_inputs<Op>();
  using View = Row<S, Op::kInputs, kShared, kIsKept, kIsPacked>;
  const int at_once = static_cast<int>(blockDim.x) / threads.count();
  for (int64_t index = int64_t{blockIdx.x} * at_once + threads.row();
       index < params.rows; index += int64_t{gridDim.x} * at_once) {
    const int64_t start = index + params.by_inner.divide(index) *
                                      (params.length - 1) * params.inner;
    typename View::Memory memory = {{}, params.length, params.inner};
#pragma unroll
    for (int k = 0; k < Op::kInputs + (Op::kOutput ? 1 : 0); ++k) {
      const bool is_shared = k < Op::kInputs && k >= Op::kInputs - kShared;
      memory.first[k] =
          reinterpret_cast<S*>(params.operands[k]) + (is_shared ? 0 : start);
    }
    View row(memory, index, threads, totals);
    op(row);
  }
}

// Adds up the columns of a block's rows: those of each team of threads, and in
// the end those of all teams.
template <class Op, class S, bool kIsKept, bool kIsPacked>
__device__ __forceinline__ void compute_chunk(const Op& op,
                                              const RowParams& params,
                                              const RowThreads& threads) {
  using Value = catena::cuda::Compute<S>;
  __shared__ Value of_teams[kBlockTotals<S>];
  const int step = params.totals_step;
  Value* const sums =
      static_cast<Value*>(op.column_sums.data) + blockIdx.x * 2 * params.length;
  const ColumnTotals<Value> totals =
      step > 0 ? ColumnTotals<Value>{of_teams + threads.row() * 2 * step, step}
               : ColumnTotals<Value>{sums, params.length};
  for (int64_t i = threads.own(); i < totals.step; i += threads.count()) {
    totals.first[i] = Value(0);
    totals.first[i + totals.step] = Value(0);
  }
  compute_rows<Op, S, kIsKept, kIsPacked>(op, params, threads, totals);
  if (step == 0) return;
  __syncthreads();
  const int teams = static_cast<int>(blockDim.x) / threads.count();
  for (int i = static_cast<int>(threadIdx.x); i < params.length;
       i += static_cast<int>(blockDim.x)) {
    const Value* total = of_teams + tile_number<S, kIsPacked>(i, threads);
    Value first(0);
    Value second(0);
    for (int team = 0; team < teams; ++team, total += 2 * step) {
      first += total[0];
      second += total[step];
    }
    sums[i] = first;
    sums[i + params.length] = second;
  }
}

template <class Op, class S, bool kIsKept, bool kIsPacked>
__global__ void __launch_bounds__(kMaxRowThreads<Op>,
                                  kIsKept || !kCanKeep<S> ? 1 : 2)
    row_kernel(Op op, RowParams params) {
  const RowThreads threads(params.layout);
  if constexpr (functions::adds_columns<Op>()) {
    compute_chunk<Op, S, kIsKept, kIsPacked>(op, params, threads);
  } else {
    compute_rows<Op, S, kIsKept, kIsPacked>(op, params, threads, {});
  }
}

// How many neighbouring rows share a warp, 0 if a row's threads are neighbours.
// Lanes of neighbouring rows read memory in one piece, in sectors of 32 bytes:
// a warp needs no more rows than fill a sector, and gives short rows fewer
// lanes. Neighbouring threads suit rows that are long and few. By the shape
// alone, so that sums are the same on every device.
inline int rows_per_warp(const functions::RowArgs& args, int64_t itemsize) {
  constexpr int64_t kSector = 32;
  constexpr int64_t kFewSteps = 16;
  constexpr int64_t kManySteps = 1024;  // sums of so many lose little
  constexpr int64_t kManyThreads = 1 << 15;
  if (args.inner * itemsize < kSector) return 0;
  const int64_t most = kWarpLanes * itemsize / kSector;
  const auto lanes = static_cast<int64_t>(std::bit_floor(
      static_cast<uint64_t>(std::clamp<int64_t>(args.length / 2, 1, most))));
  const int64_t steps = (args.length + lanes - 1) / lanes;
  const bool fits = steps <= kFewSteps ||
                    (args.rows * lanes >= kManyThreads && steps <= kManySteps);
  return fits ? static_cast<int>(kWarpLanes / lanes) : 0;
}

// The threads of a row whose elements are neighbours. Each has a few elements
// if they are a warp or less, else half of what it can keep, by the length
// alone.
inline int threads_of_row(int64_t length, int most) {
  const auto threads = [&](int64_t elements) {
    return static_cast<int64_t>(std::bit_ceil(
        static_cast<uint64_t>((length + elements - 1) / elements)));
  };
  if (length <= kWarpLanes * kKeptElements) {
    return static_cast<int>(
        std::min<int64_t>(threads(kKeptElements / 4), kWarpLanes));
  }
  return static_cast<int>(std::min<int64_t>(threads(kKeptElements / 2), most));
}

template <class Op, class S>
class RowLoop {
 public:
  // The kernel's entry in the slot's table.
  static void run(const functions::RowArgs& args) {
    if (args.rows == 0 || args.length == 0) return;
    constexpr int64_t kMaxBlocks = 1 << 20;
    const int apart = rows_per_warp(args, sizeof(S));
    int threads = apart > 0 ? kWarpLanes / apart
                            : threads_of_row(args.length, kMaxRowThreads<Op>);
    bool packed = is_packed(args);
    int64_t totals_step = 0;
    if constexpr (functions::adds_columns<Op>()) {
      const auto fits = [&](int64_t step) {
        return kWarpsThreads / std::min(threads, kWarpsThreads) * 2 * step <=
               kBlockTotals<S>;
      };
      // Neighbouring teams need memory of their own.
      if (!fits(totals_of(args, threads))) {
        threads = std::max(threads, kWarpsThreads);
      }
      totals_step = totals_of(args, threads);
      if (!fits(totals_step)) {
        totals_step = 0;
        packed = false;  // numbers of totals are those of columns
      }
    }
    const int block = std::max(threads, kWarpsThreads);
    const int at_once = block / threads;
    RowParams params = {args.rows,
                        args.length,
                        args.inner,
                        catena::cuda::IndexDivider(args.inner),
                        {},
                        {std::countr_zero(static_cast<unsigned>(threads)),
                         threads > kWarpLanes ? 1 : std::max(apart, 1)},
                        static_cast<int>(totals_step)};
    std::copy_n(args.operands, functions::kMaxRowOperands, params.operands);
    const int64_t blocks =
        args.chunks > 0
            ? args.chunks
            : std::min((args.rows + at_once - 1) / at_once, kMaxBlocks);
    const bool kept = args.length <= int64_t{kKeptElements} * threads;
    catena::cuda::launch(kernel(kept, packed), blocks, block,
                         args.device.index(), *static_cast<const Op*>(args.op),
                         params);
  }

 private:
  static constexpr int kPack = catena::cuda::kWidestPack<S>;
  static constexpr int kWarpsThreads = 128;  // of a block whose rows share it

  // The length rounded up to the chunks of a row's threads.
  static int64_t totals_of(const functions::RowArgs& args, int threads) {
    const int64_t chunk = int64_t{kPack} * threads;
    return (args.length + chunk - 1) / chunk * chunk;
  }

  static auto kernel(bool kept, bool packed) {
    if constexpr (kCanKeep<S>) {
      if (kept) {
        return packed ? &row_kernel<Op, S, true, true>
                      : &row_kernel<Op, S, true, false>;
      }
    }
    return packed ? &row_kernel<Op, S, false, true>
                  : &row_kernel<Op, S, false, false>;
  }

  // Whether the rows of each operand are whole packs, aligned.
  static bool is_packed(const functions::RowArgs& args) {
    if (args.inner != 1 || args.length % kPack != 0) return false;
    return std::all_of(
        args.operands, args.operands + Op::kInputs + (Op::kOutput ? 1 : 0),
        [](const char* data) {
          return reinterpret_cast<uintptr_t>(data) % (kPack * sizeof(S)) == 0;
        });
  }
};

}  // namespace catena::kernels::CATENA_BACKEND
