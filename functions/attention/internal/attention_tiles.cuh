#pragma once

// What the CUDA kernels of attention have in common: tiles of rows in shared
// memory, and the products of a warp's 16 rows with those of another tile, by
// tensor cores for 16-bit types.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numbers>
#include <type_traits>

#include "catena/array/kernels/math.h"
#include "catena/cuda/element.cuh"
#include "catena/cuda/tensor_cores.cuh"
#include "catena/functions/attention/internal/attention_args.h"

namespace catena::kernels::CATENA_BACKEND {

using catena::cuda::Compute;
using catena::cuda::fresh;
using catena::cuda::kLanes;
using catena::cuda::lane_of_warp;
using catena::cuda::LaneValues;
using functions::AttentionArgs;
using functions::KeyRange;

// The rows of a tile that a warp computes.
inline constexpr int kWarpRows = 16;

// Queries or keys [begin, end): kernels count in 32 bits.
struct IntRange {
  int begin;
  int end;

  __device__ __forceinline__ bool contains(int i) const {
    return i >= begin && i < end;
  }
};
__device__ __forceinline__ IntRange in_32_bits(const KeyRange& range) {
  return {static_cast<int>(range.begin), static_cast<int>(range.end)};
}

// What attention's kernels get.
struct AttentionParams {
  AttentionArgs args;
  bool packed;  // all rows are whole chunks of 16 bytes, aligned
};

template <class S>
inline constexpr bool kHasTensorCores = sizeof(S) == 2;

// The elements of a row in shared memory; shorter ones end with zeros.
template <class S, int kRowBytes>
inline constexpr int kRowElements = kRowBytes / static_cast<int>(sizeof(S));

template <class E>
inline constexpr E kLog2E = static_cast<E>(std::numbers::log2e);

// Memory shared by a block, for `rows` rows.
template <int rows, int kRowBytes>
struct alignas(128) TileMemory {
  char bytes[rows * kRowBytes];
};

// Rows of kRowBytes in shared memory, in chunks of 16 bytes. These are permuted
// in each row, so that a chunk of eight rows is in as many banks.
template <class S, int kRowBytes>
class Tile {
 public:
  static constexpr int kChunks = kRowBytes / 16;
  static constexpr int kPack = catena::cuda::kWidestPack<S>;
  using Chunk = catena::cuda::Pack<S, kPack>;
  static_assert(kChunks >= 8);

  template <int rows>
  explicit __device__ Tile(TileMemory<rows, kRowBytes>& memory)
      : memory_(memory.bytes) {}

  __device__ __forceinline__ Chunk* chunk(int row, int chunk) const {
    return reinterpret_cast<Chunk*>(memory_ + row * kRowBytes) +
           (chunk ^ (row & 7));
  }

  // Fills `rows` rows with the first `count` of an operand's, of `size`
  // elements, and zeros. All `threads` of the block call it; afterwards they
  // call wait_for_copies() and meet at a barrier.
  template <int rows, int threads>
  __device__ __forceinline__ void fill(const S* from, int64_t stride, int count,
                                       int64_t size, bool packed) const {
    constexpr int kRowsAtOnce = threads / kChunks;
    static_assert(threads % kChunks == 0 && rows % kRowsAtOnce == 0);
    const int thread = fresh(static_cast<int>(threadIdx.x));
    const int first = thread / kChunks;
    const int own = thread % kChunks;
    const int left = static_cast<int>(size) - own * kPack;
    const S* source = from + first * stride + own * kPack;
    if (packed) {
#pragma unroll
      for (int row = 0; row < rows; row += kRowsAtOnce) {
        const bool exists = first + row < count && left > 0;
        catena::cuda::copy_later(chunk(first + row, own),
                                 exists ? source : from, exists);
        source += kRowsAtOnce * stride;
      }
      return;
    }
#pragma unroll 1
    for (int row = first; row < first + rows; row += kRowsAtOnce) {
      Chunk elements;
#pragma unroll
      for (int j = 0; j < kPack; ++j) {
        elements.elements[j] =
            row < count && j < left ? source[j] : catena::cuda::narrow<S>(0.0F);
      }
      *chunk(row, own) = elements;
      source += kRowsAtOnce * stride;
    }
  }

 private:
  char* memory_;
};

// A warp's 16 rows by `columns` columns in registers, as tensor cores have
// them: a lane's element i of part n is in the row and column that these say.
template <class E, int columns>
struct WarpMatrix {
  E parts[columns / 8][4];

  static __device__ __forceinline__ int row(int i) {
    return lane_of_warp() / 4 + i / 2 * 8;
  }
  static __device__ __forceinline__ int column(int n, int i) {
    return 8 * n + 2 * (lane_of_warp() % 4) + i % 2;
  }

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (auto& part : parts) {
#pragma unroll
      for (E& x : part) x = E(0);
    }
  }
  // Calls f(x, n, i) for each of the lane's elements.
  template <class F>
  __device__ __forceinline__ void each(F f) {
#pragma unroll
    for (int n = 0; n < columns / 8; ++n) {
#pragma unroll
      for (int i = 0; i < 4; ++i) f(parts[n][i], n, i);
    }
  }
};

// A warp's rows of `a`, from first_row on, times the transposed rows of `b`.
template <class S, int kRowBytes, int columns>
__device__ __forceinline__ void multiply_rows(
    const Tile<S, kRowBytes>& a, int first_row, const Tile<S, kRowBytes>& b,
    WarpMatrix<Compute<S>, columns>& c) {
  using Chunk = typename Tile<S, kRowBytes>::Chunk;
  constexpr int kChunks = Tile<S, kRowBytes>::kChunks;
  const int lane = fresh(lane_of_warp());
  c.clear();
  if constexpr (kHasTensorCores<S>) {
#pragma unroll
    for (int k = 0; k < kChunks; k += 2) {
      uint32_t rows[4];
      catena::cuda::load_matrices<false>(
          a.chunk(first_row + lane % 16, k + lane / 16), rows);
#pragma unroll
      for (int n = 0; n < columns / 8; n += 2) {
        uint32_t of_b[4];
        catena::cuda::load_matrices<false>(
            b.chunk(8 * n + lane % 8 + lane / 16 * 8, k + lane / 8 % 2), of_b);
        catena::cuda::multiply_add<S>(rows, of_b[0], of_b[1], c.parts[n]);
        catena::cuda::multiply_add<S>(rows, of_b[2], of_b[3], c.parts[n + 1]);
      }
    }
  } else {
#pragma unroll 1
    for (int k = 0; k < kChunks; ++k) {
      const Chunk rows[2] = {*a.chunk(first_row + lane / 4, k),
                             *a.chunk(first_row + lane / 4 + 8, k)};
#pragma unroll
      for (int n = 0; n < columns / 8; ++n) {
        const int column = 8 * n + 2 * (lane % 4);
        const Chunk of_b[2] = {*b.chunk(column, k), *b.chunk(column + 1, k)};
#pragma unroll
        for (int i = 0; i < 4; ++i) {
#pragma unroll
          for (int j = 0; j < Tile<S, kRowBytes>::kPack; ++j) {
            c.parts[n][i] += rows[i / 2].elements[j] * of_b[i % 2].elements[j];
          }
        }
      }
    }
  }
}

// Adds to `c` the product of a warp's matrix, of which `count` columns are not
// zero, and the rows of `b`, of their columns from 16-byte chunk `first_chunk`
// on. Tensor cores take `a` in 16 bits.
template <class S, int kRowBytes, int inner, int columns>
__device__ __forceinline__ void multiply_add_rows(
    const WarpMatrix<Compute<S>, inner>& a, const Tile<S, kRowBytes>& b,
    int count, int first_chunk, WarpMatrix<Compute<S>, columns>& c) {
  const int lane = fresh(lane_of_warp());
  if constexpr (kHasTensorCores<S>) {
#pragma unroll
    for (int k = 0; k < inner / 8; k += 2) {
      if (8 * k >= count) continue;
      const Compute<S>(&low)[4] = a.parts[k];
      const Compute<S>(&high)[4] = a.parts[k + 1];
      const uint32_t rows[4] = {catena::cuda::narrow_pair<S>(low[0], low[1]),
                                catena::cuda::narrow_pair<S>(low[2], low[3]),
                                catena::cuda::narrow_pair<S>(high[0], high[1]),
                                catena::cuda::narrow_pair<S>(high[2], high[3])};
#pragma unroll
      for (int n = 0; n < columns / 8; n += 2) {
        uint32_t of_b[4];
        catena::cuda::load_matrices<true>(
            b.chunk(8 * k + lane % 16, first_chunk + n + lane / 16), of_b);
        catena::cuda::multiply_add<S>(rows, of_b[0], of_b[1], c.parts[n]);
        catena::cuda::multiply_add<S>(rows, of_b[2], of_b[3], c.parts[n + 1]);
      }
    }
  } else {
    constexpr int kPack = Tile<S, kRowBytes>::kPack;
#pragma unroll
    for (int part = 0; part < inner / 8; ++part) {
      if (8 * part >= count) continue;
      const LaneValues<S> own[4] = {
          LaneValues(a.parts[part][0]), LaneValues(a.parts[part][1]),
          LaneValues(a.parts[part][2]), LaneValues(a.parts[part][3])};
      // Not unrolled: that would take more registers than there are.
#pragma unroll 1
      for (int pair = 0; pair < 4; ++pair) {
        // The lane that has this pair of columns of the own rows.
        const int source = (lane & ~3) + pair;
#pragma unroll
        for (int k = 0; k < 2; ++k) {
          const S rows[2] = {own[k].of(source), own[2 + k].of(source)};
          const int row = 8 * part + 2 * pair + k;
#pragma unroll
          for (int n = 0; n < columns / 8; ++n) {
            const int column = 8 * n + 2 * (lane % 4);
            const S* const of_b =
                b.chunk(row, first_chunk + column / kPack)->elements +
                column % kPack;
#pragma unroll
            for (int i = 0; i < 4; ++i) {
              c.parts[n][i] += rows[i / 2] * of_b[i % 2];
            }
          }
        }
      }
    }
  }
}

// Writes a factor times a warp's matrix to the rows of a result that are before
// `end`; the matrix's first row is the result's row `first_row`, its first
// column the result's `first_column`.
template <class S, int columns, class Factor>
__device__ __forceinline__ void write_rows(
    WarpMatrix<Compute<S>, columns>& matrix, S* to, int64_t stride,
    int first_row, int end, int first_column, int64_t size, bool packed,
    Factor factor) {
  using Matrix = WarpMatrix<Compute<S>, columns>;
#pragma unroll
  for (int i = 0; i < 4; i += 2) {
    const int row = first_row + Matrix::row(i);
    if (row >= end) continue;
    const Compute<S> by = factor(i / 2);
#pragma unroll
    for (int n = 0; n < columns / 8; ++n) {
      const int column = first_column + Matrix::column(n, 0);
      const Compute<S> x[2] = {matrix.parts[n][i] * by,
                               matrix.parts[n][i + 1] * by};
      S* const at = to + row * stride + column;
      if (packed) {
        if (column < size) {
          catena::cuda::store_pack(at, catena::cuda::narrow<S>(x));
        }
        continue;
      }
      if (column < size) at[0] = catena::cuda::narrow<S>(x[0]);
      if (column + 1 < size) at[1] = catena::cuda::narrow<S>(x[1]);
    }
  }
}

// The rows of an item's head in an operand.
template <class S>
__device__ __forceinline__ S* rows_of(const AttentionArgs::Operand& x,
                                      int64_t item, int64_t head) {
  return reinterpret_cast<S*>(x.data) + item * x.batch_stride +
         head * x.head_stride;
}

__device__ __forceinline__ int64_t row_index(const AttentionArgs& args,
                                             int item, int head, int query) {
  return (item * args.heads + head) * args.queries + query;
}

// Whether scores are no more than products, scaled, of the keys that are seen.
__device__ __forceinline__ bool has_plain_scores(const AttentionArgs& args) {
  return args.soft_cap == 0 && args.alibi_slopes == nullptr &&
         args.mask == nullptr && args.dropout == 0;
}

// A score in units of log(2), for exp2, and its derivative with respect to the
// scaled product.
template <class E>
struct Score {
  E value;
  E slope;
};
template <class E>
__device__ __forceinline__ Score<E> score_of(const AttentionArgs& args,
                                             int item, int head, int query,
                                             int key, E product) {
  E x = product * static_cast<E>(args.scale);
  E slope(1);
  if (args.soft_cap != 0) {
    const auto cap = static_cast<E>(args.soft_cap);
    const E bounded = math::tanh(x / cap);
    slope = E(1) - bounded * bounded;
    x = cap * bounded;
  }
  if (args.alibi_slopes != nullptr) {
    const int at = query + static_cast<int>(args.keys - args.queries);
    const auto distance = static_cast<E>(key < at ? at - key : key - at);
    x -= static_cast<const E*>(args.alibi_slopes)[head] * distance;
  }
  if (args.mask != nullptr) {
    const int64_t(&strides)[4] = args.mask_strides;
    const int64_t place = item * strides[0] + head * strides[1] +
                          query * strides[2] + key * strides[3];
    if (!args.mask_is_bool) {
      x += reinterpret_cast<const E*>(args.mask)[place];
    } else if (args.mask[place] == 0) {
      x = -std::numeric_limits<E>::infinity();
    }
  }
  return {x * kLog2E<E>, slope};
}

template <class E>
__device__ __forceinline__ E dropped(const AttentionArgs& args, int64_t row,
                                     int key, E x) {
  if (args.dropout == 0) return x;
  return x * static_cast<E>(
                 functions::dropout_factor(static_cast<uint64_t>(*args.seed),
                                           args.dropout, row, args.keys, key));
}

// Calls f<kRowBytes>() for the smallest rows in shared memory that hold those
// of the operands; fits_tiles() says whether there are such rows.
template <class S, class F>
void with_row_bytes(const AttentionArgs& args, F f) {
  const int64_t bytes =
      std::max(args.size, args.value_size) * static_cast<int64_t>(sizeof(S));
  if (bytes <= 128) {
    f.template operator()<128>();
  } else if (bytes <= 256) {
    f.template operator()<256>();
  } else {
    f.template operator()<functions::kMaxTileRowBytes>();
  }
}

// Whether each row of all operands is whole chunks of 16 bytes, aligned.
template <class S>
AttentionParams params_of(const AttentionArgs& args) {
  constexpr int64_t kPack = catena::cuda::kWidestPack<S>;
  bool packed = args.size % kPack == 0 && args.value_size % kPack == 0;
  for (const AttentionArgs::Operand* x :
       {&args.q, &args.k, &args.v, &args.y, &args.gy, &args.gq, &args.gk,
        &args.gv}) {
    packed = packed && reinterpret_cast<uintptr_t>(x->data) % 16 == 0 &&
             x->batch_stride % kPack == 0 && x->head_stride % kPack == 0 &&
             x->row_stride % kPack == 0;
  }
  return {args, packed};
}

}  // namespace catena::kernels::CATENA_BACKEND
