// Gradients of attention on GPUs, from scores that are computed again. One
// kernel computes those of queries, whose block goes over tiles of keys, and
// one those of keys and values, whose block goes over tiles of queries: no sum
// is made by atomic additions, whose order varies (Dao et al.,
// "FlashAttention-2", 2023, compute the scores once, and add so).

#include <cstdint>
#include <limits>

#include "catena/array/cuda/block_combine.cuh"
#include "catena/array/cuda/grid_loop.cuh"
#include "catena/array/kernels/kernel_definition.h"
#include "catena/cuda/device_memory.h"
#include "catena/cuda/launch.h"
#include "catena/cuda/launch_shape.h"
#include "catena/functions/attention/internal/attention_tiles.cuh"

namespace catena::kernels::CATENA_BACKEND {
namespace {

// A block has `kRows` rows, of which a warp has 16, and goes over others by
// `kColumns`. A tile of each operand: 16 to 32 KiB of shared memory for rows of
// 128 bytes, else 48.
template <class S, int kRowBytes>
struct BlockShape {
  static constexpr int kRows = kRowBytes > 256 ? 32 : 64;
  static constexpr int kColumns = kRowBytes > 256                     ? 16
                                  : kRowBytes > 128 || sizeof(S) == 8 ? 32
                                                                      : 64;
  static constexpr int kThreads = kRows / kWarpRows * kLanes;
  // The blocks that a multiprocessor shall have registers for; those that sum
  // one gradient need fewer.
  static constexpr int kResident = 256 / kThreads;
  static constexpr int kResidentOfOne =
      kResident + (sizeof(S) == 2 && kRowBytes == 128 ? 1 : 0);
};

// The elements of gradients that a block sums in registers.
inline constexpr int kMaxSums = 128;

// Each query's inner product of y and its gradient, by some lanes of a warp.
constexpr int kLanesOfRow = 8;
constexpr int kRowsAtOnce = catena::cuda::kBlockThreads / kLanesOfRow;
template <class S>
__global__ void __launch_bounds__(catena::cuda::kBlockThreads)
    multiply_inner(AttentionParams params, Compute<S>* inner) {
  constexpr int kPack = catena::cuda::kWidestPack<S>;
  const AttentionArgs& args = params.args;
  const int64_t rows = args.batch * args.heads * args.queries;
  const int64_t row =
      int64_t{blockIdx.x} * kRowsAtOnce + threadIdx.x / kLanesOfRow;
  const int own = static_cast<int>(threadIdx.x) % kLanesOfRow;
  Compute<S> sum(0);
  if (row < rows) {
    const int64_t query = row % args.queries;
    const int64_t head = row / args.queries % args.heads;
    const int64_t item = row / args.queries / args.heads;
    const S* const y =
        rows_of<S>(args.y, item, head) + query * args.y.row_stride;
    const S* const gy =
        rows_of<S>(args.gy, item, head) + query * args.gy.row_stride;
    const auto size = static_cast<int>(args.value_size);
    // In one order, whether elements are read in packs or not.
    for (int j = own * kPack; j < size; j += kLanesOfRow * kPack) {
      Compute<S> a[kPack];
      Compute<S> b[kPack];
      if (params.packed) {
        catena::cuda::widen(catena::cuda::load_pack<kPack>(y + j), a);
        catena::cuda::widen(catena::cuda::load_pack<kPack>(gy + j), b);
      } else {
#pragma unroll
        for (int e = 0; e < kPack; ++e) {
          a[e] = j + e < size ? catena::cuda::widen(y[j + e]) : Compute<S>(0);
          b[e] = j + e < size ? catena::cuda::widen(gy[j + e]) : Compute<S>(0);
        }
      }
#pragma unroll
      for (int e = 0; e < kPack; ++e) sum += a[e] * b[e];
    }
  }
#pragma unroll
  for (int bits = kLanesOfRow / 2; bits > 0; bits /= 2) {
    sum += catena::cuda::shuffle_xor(0xffffffffu, sum, bits);
  }
  if (row < rows && own == 0) inner[row] = sum;
}

// What the gradients of a query's scores need of it.
template <class E>
struct QuerySums {
  E log_sum;  // in units of log(2)
  E inner;

  __device__ QuerySums(const AttentionArgs& args, const E* inners, int item,
                       int head, int query)
      : log_sum(std::numeric_limits<E>::infinity()), inner(0) {
    if (query >= args.queries) return;
    const int64_t row = row_index(args, item, head, query);
    log_sum = static_cast<const E*>(args.log_sums)[row] * kLog2E<E>;
    inner = inners[row];
  }
};

// Turns the product of a query and a key into the key's weight after dropout,
// and the gradient of this weight into that of the scaled product.
template <class E>
__device__ __forceinline__ void differentiate(const AttentionArgs& args,
                                              int item, int head, int query,
                                              int key, const QuerySums<E>& sums,
                                              E& product, E& gradient) {
  const int64_t row = row_index(args, item, head, query);
  const Score<E> score = score_of(args, item, head, query, key, product);
  const E weight = math::exp2(score.value - sums.log_sum);
  gradient =
      weight * (dropped(args, row, key, gradient) - sums.inner) * score.slope;
  product = dropped(args, row, key, weight);
}

// The same where scores are no more than products.
template <class E>
__device__ __forceinline__ void differentiate_plain(E factor,
                                                    const QuerySums<E>& sums,
                                                    E& product, E& gradient) {
  product = math::exp2(product * factor - sums.log_sum);
  gradient = product * (gradient - sums.inner);
}

template <class S, int kRowBytes>
__global__ void __launch_bounds__(BlockShape<S, kRowBytes>::kThreads,
                                  BlockShape<S, kRowBytes>::kResidentOfOne)
    differentiate_queries(AttentionParams params, const Compute<S>* inners) {
  using E = Compute<S>;
  constexpr int kQueries = BlockShape<S, kRowBytes>::kRows;
  constexpr int kKeys = BlockShape<S, kRowBytes>::kColumns;
  using Scores = WarpMatrix<E, kKeys>;
  __shared__ TileMemory<kQueries, kRowBytes> q_memory;
  __shared__ TileMemory<kQueries, kRowBytes> gy_memory;
  __shared__ TileMemory<kKeys, kRowBytes> k_memory;
  __shared__ TileMemory<kKeys, kRowBytes> v_memory;
  const Tile<S, kRowBytes> q(q_memory);
  const Tile<S, kRowBytes> gy(gy_memory);
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
  q.template fill<kQueries, BlockShape<S, kRowBytes>::kThreads>(
      rows_of<S>(args.q, item, head) + first * args.q.row_stride,
      args.q.row_stride, end - first, args.size, packed);
  gy.template fill<kQueries, BlockShape<S, kRowBytes>::kThreads>(
      rows_of<S>(args.gy, item, head) + first * args.gy.row_stride,
      args.gy.row_stride, end - first, args.value_size, packed);

  const int own = static_cast<int>(threadIdx.x) / kLanes * kWarpRows;
  const int warp_first = first + own;
  const int warp_last = min(warp_first + kWarpRows, end) - 1;
  const IntRange of_first = in_32_bits(args.visible(item, warp_first));
  const IntRange of_last = in_32_bits(args.visible(item, warp_last));
  const int queries[2] = {warp_first + Scores::row(0),
                          warp_first + Scores::row(2)};
  const QuerySums<E> sums[2] = {{args, inners, item, head, queries[0]},
                                {args, inners, item, head, queries[1]}};
  IntRange seen[2];
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    seen[r] = queries[r] < end ? in_32_bits(args.visible(item, queries[r]))
                               : IntRange{0, 0};
  }
  const bool plain = has_plain_scores(args);
  const E factor = static_cast<E>(args.scale) * kLog2E<E>;

  WarpMatrix<E, kRowElements<S, kRowBytes>> gq;
  gq.clear();
  const int first_key = in_32_bits(args.visible(item, first)).begin;
  const int end_key = in_32_bits(args.visible(item, end - 1)).end;
  for (int begin = first_key; begin < end_key; begin += kKeys) {
    __syncthreads();
    const int count = min(kKeys, static_cast<int>(args.keys) - begin);
    k.template fill<kKeys, BlockShape<S, kRowBytes>::kThreads>(
        rows_of<S>(args.k, item, kv_head) + begin * args.k.row_stride,
        args.k.row_stride, count, args.size, packed);
    v.template fill<kKeys, BlockShape<S, kRowBytes>::kThreads>(
        rows_of<S>(args.v, item, kv_head) + begin * args.v.row_stride,
        args.v.row_stride, count, args.value_size, packed);
    catena::cuda::wait_for_copies();
    __syncthreads();
    if (warp_first > warp_last || begin >= of_last.end ||
        begin + kKeys <= of_first.begin) {
      continue;
    }
    Scores products;
    Scores gradients;
    multiply_rows(q, own, k, products);
    multiply_rows(gy, own, v, gradients);
    const bool is_whole =
        begin >= of_last.begin && begin + kKeys <= of_first.end;
    gradients.each([&](E& gradient, int n, int i) {
      E& product = products.parts[n][i];
      const int key = begin + Scores::column(n, i);
      const bool is_seen = is_whole || seen[i / 2].contains(key);
      if (plain) {
        differentiate_plain(factor, sums[i / 2], product, gradient);
      } else if (is_seen) {
        differentiate(args, item, head, queries[i / 2], key, sums[i / 2],
                      product, gradient);
      }
      if (!is_seen) gradient = E(0);
    });
    multiply_add_rows(gradients, k, end_key - begin, /*first_chunk=*/0, gq);
  }
  write_rows(gq, rows_of<S>(args.gq, item, head), args.gq.row_stride,
             warp_first, end, /*first_column=*/0, args.size, packed,
             [&](int) { return static_cast<E>(args.scale); });
}

// Blocks share a gradient's row that has many elements.
template <class S, int kRowBytes>
constexpr int kParts = std::max(1, kRowElements<S, kRowBytes> / kMaxSums);

template <class S, int kRowBytes>
__global__ void __launch_bounds__(BlockShape<S, kRowBytes>::kThreads,
                                  BlockShape<S, kRowBytes>::kResident)
    differentiate_keys(AttentionParams params, const Compute<S>* inners) {
  using E = Compute<S>;
  constexpr int kKeys = BlockShape<S, kRowBytes>::kRows;
  constexpr int kQueries = BlockShape<S, kRowBytes>::kColumns;
  constexpr int kSums = kRowElements<S, kRowBytes> / kParts<S, kRowBytes>;
  // Rows are keys, columns are queries.
  using Scores = WarpMatrix<E, kQueries>;
  __shared__ TileMemory<kKeys, kRowBytes> k_memory;
  __shared__ TileMemory<kKeys, kRowBytes> v_memory;
  __shared__ TileMemory<kQueries, kRowBytes> q_memory;
  __shared__ TileMemory<kQueries, kRowBytes> gy_memory;
  const Tile<S, kRowBytes> k(k_memory);
  const Tile<S, kRowBytes> v(v_memory);
  const Tile<S, kRowBytes> q(q_memory);
  const Tile<S, kRowBytes> gy(gy_memory);

  const AttentionArgs& args = params.args;
  const bool packed = params.packed;
  const int tiles = static_cast<int>(args.keys + kKeys - 1) / kKeys;
  const int part = static_cast<int>(blockIdx.x) % kParts<S, kRowBytes>;
  const int block = static_cast<int>(blockIdx.x) / kParts<S, kRowBytes>;
  // The first keys first: if causal, most queries see these.
  const int first = block % tiles * kKeys;
  const int end = min(first + kKeys, static_cast<int>(args.keys));
  const int kv_heads = static_cast<int>(args.kv_heads);
  const int item = block / tiles / kv_heads;
  const int kv_head = block / tiles % kv_heads;
  const int group = static_cast<int>(args.heads) / kv_heads;
  k.template fill<kKeys, BlockShape<S, kRowBytes>::kThreads>(
      rows_of<S>(args.k, item, kv_head) + first * args.k.row_stride,
      args.k.row_stride, end - first, args.size, packed);
  v.template fill<kKeys, BlockShape<S, kRowBytes>::kThreads>(
      rows_of<S>(args.v, item, kv_head) + first * args.v.row_stride,
      args.v.row_stride, end - first, args.value_size, packed);

  const int own = static_cast<int>(threadIdx.x) / kLanes * kWarpRows;
  const int warp_first = first + own;
  const int warp_end = warp_first + kWarpRows;
  const IntRange seeing = in_32_bits(args.seeing(item, {first, end}));
  IntRange seeing_own[2];  // the queries that see the lane's keys
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const int key = warp_first + Scores::row(2 * r);
    seeing_own[r] = key < end ? in_32_bits(args.seeing(item, {key, key + 1}))
                              : IntRange{0, 0};
  }
  const bool plain = has_plain_scores(args);
  const E factor = static_cast<E>(args.scale) * kLog2E<E>;

  WarpMatrix<E, kSums> gk;
  WarpMatrix<E, kSums> gv;
  gk.clear();
  gv.clear();
  constexpr int kPartChunks = kSums * static_cast<int>(sizeof(S)) / 16;
  for (int head = kv_head * group; head < (kv_head + 1) * group; ++head) {
    for (int begin = seeing.begin; begin < seeing.end; begin += kQueries) {
      __syncthreads();
      const int count = min(kQueries, static_cast<int>(args.queries) - begin);
      q.template fill<kQueries, BlockShape<S, kRowBytes>::kThreads>(
          rows_of<S>(args.q, item, head) + begin * args.q.row_stride,
          args.q.row_stride, count, args.size, packed);
      gy.template fill<kQueries, BlockShape<S, kRowBytes>::kThreads>(
          rows_of<S>(args.gy, item, head) + begin * args.gy.row_stride,
          args.gy.row_stride, count, args.value_size, packed);
      catena::cuda::wait_for_copies();
      __syncthreads();
      const IntRange of_first = in_32_bits(args.visible(item, begin));
      const IntRange of_last =
          in_32_bits(args.visible(item, begin + count - 1));
      if (warp_first >= of_last.end || warp_end <= of_first.begin) continue;
      Scores products;
      Scores gradients;
      multiply_rows(k, own, q, products);
      multiply_rows(v, own, gy, gradients);
      const bool is_whole = count == kQueries && warp_first >= of_last.begin &&
                            warp_end <= of_first.end;
#pragma unroll
      for (int n = 0; n < kQueries / 8; ++n) {
#pragma unroll
        for (int column = 0; column < 2; ++column) {
          const int query = begin + Scores::column(n, column);
          const QuerySums<E> sums(args, inners, item, head, query);
#pragma unroll
          for (int i = column; i < 4; i += 2) {
            E& product = products.parts[n][i];
            E& gradient = gradients.parts[n][i];
            const bool is_seen = is_whole || seeing_own[i / 2].contains(query);
            if (plain) {
              differentiate_plain(factor, sums, product, gradient);
            } else if (is_seen) {
              differentiate(args, item, head, query,
                            warp_first + Scores::row(i), sums, product,
                            gradient);
            }
            if (!is_seen) {
              product = E(0);
              gradient = E(0);
            }
          }
        }
      }
      multiply_add_rows(products, gy, count, part * kPartChunks, gv);
      multiply_add_rows(gradients, q, count, part * kPartChunks, gk);
    }
  }
  const auto write = [&](auto& sums, const AttentionArgs::Operand& x,
                         int64_t size, E by) {
    if (x.data == nullptr) return;
    write_rows(sums, rows_of<S>(x, item, kv_head), x.row_stride, warp_first,
               end, part * kSums, size, packed, [&](int) { return by; });
  };
  write(gk, args.gk, args.size, static_cast<E>(args.scale));
  write(gv, args.gv, args.value_size, E(1));
}

template <class S>
void differentiate_on_device(const AttentionArgs& args) {
  using E = Compute<S>;
  const int device = args.device.index();
  const int64_t rows = args.batch * args.heads * args.queries;
  const catena::cuda::Memory memory(rows * static_cast<int64_t>(sizeof(E)),
                                    device);
  auto* const inners = static_cast<E*>(memory.ptr());
  const AttentionParams params = params_of<S>(args);
  if (rows > 0) {
    catena::cuda::launch(multiply_inner<S>,
                         catena::cuda::ceil_divide(rows, kRowsAtOnce),
                         catena::cuda::kBlockThreads, device, params, inners);
  }
  with_row_bytes<S>(args, [&]<int kRowBytes>() {
    using Shape = BlockShape<S, kRowBytes>;
    const int64_t of_queries =
        args.batch * args.heads *
        catena::cuda::ceil_divide(args.queries, Shape::kRows);
    if (args.gq.data != nullptr && of_queries > 0) {
      catena::cuda::launch(differentiate_queries<S, kRowBytes>, of_queries,
                           Shape::kThreads, device, params, inners);
    }
    const int64_t of_keys = args.batch * args.kv_heads * kParts<S, kRowBytes> *
                            catena::cuda::ceil_divide(args.keys, Shape::kRows);
    const bool wants_kv = args.gk.data != nullptr || args.gv.data != nullptr;
    if (wants_kv && of_keys > 0) {
      catena::cuda::launch(differentiate_keys<S, kRowBytes>, of_keys,
                           Shape::kThreads, device, params, inners);
    }
  });
}

template <class S>
__global__ void __launch_bounds__(catena::cuda::kBlockThreads)
    write_factors(AttentionArgs args, S* factors) {
  const int64_t size = args.batch * args.heads * args.queries * args.keys;
  for (int64_t i = catena::cuda::first_item(); i < size;
       i += catena::cuda::item_step()) {
    factors[i] = catena::cuda::narrow<S>(
        dropped(args, i / args.keys, i % args.keys, Compute<S>(1)));
  }
}

}  // namespace

template <class S>
struct Loop<functions::AttentionBackward, functions::AttentionBackward, S> {
  static void run(const AttentionArgs& args) {
    differentiate_on_device<S>(args);
  }
};

template <class S>
struct Loop<functions::AttentionFactors, functions::AttentionFactors, S> {
  static void run(const AttentionArgs& args, void* factors) {
    catena::cuda::launch_over(
        write_factors<S>, args.batch * args.heads * args.queries * args.keys,
        args.device.index(), args, static_cast<S*>(factors));
  }
};

extern const auto kAttentionBackward =
    register_kernels<functions::AttentionBackward>();
extern const auto kAttentionFactors =
    register_kernels<functions::AttentionFactors>();

}  // namespace catena::kernels::CATENA_BACKEND
