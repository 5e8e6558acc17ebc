// Attention on GPUs. A block computes the rows of 64 queries, 16 by each warp,
// from tiles of keys and values in shared memory; scores, and the sums of
// weighted values, stay in registers. With each tile of keys, what was summed
// before is scaled to the new maximum (Dao et al., "FlashAttention", 2022, and
// "FlashAttention-2", 2023).

#include <cstdint>
#include <limits>

#include "catena/array/cuda/block_combine.cuh"
#include "catena/array/kernels/kernel_definition.h"
#include "catena/cuda/launch.h"
#include "catena/cuda/launch_shape.h"
#include "catena/functions/attention/internal/attention_tiles.cuh"

namespace catena::kernels::CATENA_BACKEND {
namespace {

using catena::cuda::shuffle_xor;

constexpr int kQueries = 64;
constexpr int kThreads = kQueries / kWarpRows * kLanes;

// 24 KiB of shared memory for rows of 128 bytes, else 48.
template <int kRowBytes>
constexpr int kKeys = kRowBytes > 256 ? 16 : 64;

// The largest value, or the sum, over the lanes that share a row.
template <class E>
__device__ __forceinline__ E max_of_row(E x) {
  x = math::max(shuffle_xor(0xffffffffu, x, 1), x);
  return math::max(shuffle_xor(0xffffffffu, x, 2), x);
}
template <class E>
__device__ __forceinline__ E sum_of_row(E x) {
  x += shuffle_xor(0xffffffffu, x, 1);
  return x + shuffle_xor(0xffffffffu, x, 2);
}

// What a lane knows of the softmax of its two rows.
template <class E>
struct RowSoftmax {
  E maximum[2];  // so far
  E total[2];    // of the weights of the lane's own columns
};

// Turns scores, in units of log(2), into weights relative to the maximum so
// far, by which sums of values are scaled, too.
template <class E, int keys, int columns>
__device__ __forceinline__ void weigh(WarpMatrix<E, keys>& scores,
                                      RowSoftmax<E>& softmax,
                                      WarpMatrix<E, columns>& sums) {
  constexpr E kNone = -std::numeric_limits<E>::infinity();
  E largest[2] = {kNone, kNone};
  // NaNs are left out, and make weights NaN.
  scores.each(
      [&](E x, int, int i) { largest[i / 2] = math::max(x, largest[i / 2]); });
  E change[2];
  E shift[2];
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const E before = softmax.maximum[r];
    const E now = math::max(max_of_row(largest[r]), before);
    change[r] = now == before ? E(1) : math::exp2(before - now);
    shift[r] = now == kNone ? E(0) : now;
    softmax.maximum[r] = now;
    softmax.total[r] *= change[r];
  }
  scores.each([&](E& x, int, int i) {
    x = math::exp2(x - shift[i / 2]);
    softmax.total[i / 2] += x;
  });
  sums.each([&](E& x, int, int i) { x *= change[i / 2]; });
}

// The blocks that a multiprocessor shall have registers for.
template <class S, int kRowBytes>
constexpr int kResident = kRowBytes == 128 && sizeof(S) < 8 ? 3 : 2;

template <class S, int kRowBytes>
__global__ void __launch_bounds__(kThreads, kResident<S, kRowBytes>)
    attend(AttentionParams params) {
  using E = Compute<S>;
  constexpr int kTileKeys = kKeys<kRowBytes>;
  constexpr int kColumns = kRowElements<S, kRowBytes>;
  __shared__ TileMemory<kQueries, kRowBytes> q_memory;
  __shared__ TileMemory<kTileKeys, kRowBytes> k_memory;
  __shared__ TileMemory<kTileKeys, kRowBytes> v_memory;
  const Tile<S, kRowBytes> q(q_memory);
  const Tile<S, kRowBytes> k(k_memory);
  const Tile<S, kRowBytes> v(v_memory);

  const AttentionArgs& args = params.args;
  const bool packed = params.packed;
  const int tiles = static_cast<int>(args.queries + kQueries - 1) / kQueries;
  const int block = static_cast<int>(blockIdx.x);
  const int heads = static_cast<int>(args.heads);
  const int item = block / tiles / heads;
  const int head = block / tiles % heads;
  const int kv_head = head / (heads / static_cast<int>(args.kv_heads));
  // The last queries first: if causal, these have the most keys.
  const int first = (tiles - 1 - block % tiles) * kQueries;
  const int end = min(first + kQueries, static_cast<int>(args.queries));

  const auto load = [&](const Tile<S, kRowBytes>& tile,
                        const AttentionArgs::Operand& x, int64_t size,
                        int begin) {
    tile.template fill<kTileKeys, kThreads>(
        rows_of<S>(x, item, kv_head) + begin * x.row_stride, x.row_stride,
        static_cast<int>(args.keys) - begin, size, packed);
  };
  q.template fill<kQueries, kThreads>(
      rows_of<S>(args.q, item, head) + first * args.q.row_stride,
      args.q.row_stride, end - first, args.size, packed);
  // Both ends of what queries see grow with the query.
  const IntRange all = {in_32_bits(args.visible(item, first)).begin,
                        in_32_bits(args.visible(item, end - 1)).end};
  if (all.begin < all.end) load(k, args.k, args.size, all.begin);

  using Scores = WarpMatrix<E, kTileKeys>;
  const int own = static_cast<int>(threadIdx.x) / kLanes * kWarpRows;
  const int warp_first = first + own;
  const int warp_last = min(warp_first + kWarpRows, end) - 1;
  const bool has_rows = warp_first <= warp_last;
  const IntRange of_first = in_32_bits(args.visible(item, warp_first));
  const IntRange of_last = in_32_bits(args.visible(item, warp_last));
  IntRange seen[2];
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const int query = warp_first + Scores::row(2 * r);
    seen[r] =
        query < end ? in_32_bits(args.visible(item, query)) : IntRange{0, 0};
  }
  const bool plain = has_plain_scores(args);
  const E factor = static_cast<E>(args.scale) * kLog2E<E>;

  RowSoftmax<E> softmax = {{-std::numeric_limits<E>::infinity(),
                            -std::numeric_limits<E>::infinity()},
                           {E(0), E(0)}};
  WarpMatrix<E, kColumns> sums;
  sums.clear();
  for (int begin = all.begin; begin < all.end; begin += kTileKeys) {
    catena::cuda::wait_for_copies();
    __syncthreads();
    load(v, args.v, args.value_size, begin);
    const bool is_seen =
        has_rows && begin < of_last.end && begin + kTileKeys > of_first.begin;
    Scores scores;
    if (is_seen) {
      multiply_rows(q, own, k, scores);
      const auto sees = [&](int n, int i) {
        return seen[i / 2].contains(begin + Scores::column(n, i));
      };
      constexpr E kUnseen = -std::numeric_limits<E>::infinity();
      if (plain) {
        scores.each([&](E& x, int, int) { x *= factor; });
        if (begin < of_last.begin || begin + kTileKeys > of_first.end) {
          scores.each([&](E& x, int n, int i) {
            if (!sees(n, i)) x = kUnseen;
          });
        }
      } else {
        scores.each([&](E& x, int n, int i) {
          x = sees(n, i)
                  ? score_of(args, item, head, warp_first + Scores::row(i),
                             begin + Scores::column(n, i), x)
                        .value
                  : kUnseen;
        });
      }
      weigh(scores, softmax, sums);
      if (args.dropout > 0) {
        scores.each([&](E& x, int n, int i) {
          const int query = warp_first + Scores::row(i);
          x = dropped(args, row_index(args, item, head, query),
                      begin + Scores::column(n, i), x);
        });
      }
    }
    catena::cuda::wait_for_copies();
    __syncthreads();
    const int next = begin + kTileKeys;
    if (next < all.end) load(k, args.k, args.size, next);
    if (is_seen)
      multiply_add_rows(scores, v, all.end - begin, /*first_chunk=*/0, sums);
  }

  E totals[2];
#pragma unroll
  for (int r = 0; r < 2; ++r) totals[r] = sum_of_row(softmax.total[r]);
  write_rows(sums, rows_of<S>(args.y, item, head), args.y.row_stride,
             warp_first, end, /*first_column=*/0, args.value_size, packed,
             [&](int r) { return totals[r] == 0 ? E(0) : E(1) / totals[r]; });
  if (args.log_sums == nullptr || lane_of_warp() % 4 != 0) return;
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const int query = warp_first + Scores::row(2 * r);
    if (query >= end) continue;
    static_cast<E*>(args.log_sums)[row_index(args, item, head, query)] =
        totals[r] == 0 ? std::numeric_limits<E>::infinity()
                       : softmax.maximum[r] / kLog2E<E> + math::log(totals[r]);
  }
}

}  // namespace

template <class S>
struct Loop<functions::AttentionForward, functions::AttentionForward, S> {
  static void run(const AttentionArgs& args) {
    const int64_t blocks = args.batch * args.heads *
                           catena::cuda::ceil_divide(args.queries, kQueries);
    if (blocks == 0) return;
    const AttentionParams params = params_of<S>(args);
    with_row_bytes<S>(args, [&]<int kRowBytes>() {
      catena::cuda::launch(attend<S, kRowBytes>, blocks, kThreads,
                           args.device.index(), params);
    });
  }
};

extern const auto kAttentionForward =
    register_kernels<functions::AttentionForward>();

}  // namespace catena::kernels::CATENA_BACKEND
