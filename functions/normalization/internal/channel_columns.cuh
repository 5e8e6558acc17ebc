#pragma once

// CUDA kernels for channels that are adjacent in memory. A thread has the same
// kSize channels in all its rows, and so keeps their numbers in registers.

#include <algorithm>
#include <cstdint>

#include "catena/array/cuda/block_combine.cuh"
#include "catena/cuda/element.cuh"
#include "catena/cuda/launch_shape.h"
#include "catena/functions/normalization/internal/channel_args.h"
#include "catena/functions/normalization/internal/channel_terms.cuh"

namespace catena::kernels::CATENA_BACKEND {

// How rows of `columns` packs are divided: into tiles of columns, and parts of
// rows. A block is 2^log_width columns wide.
struct ColumnParts {
  int log_width = 0;
  int64_t tiles = 1;
  unsigned int count = 1;
  int64_t rows = 0;  // of a part

  ColumnParts(int64_t columns, int64_t all_rows, int64_t rows_per_lane,
              int64_t blocks) {
    // The width that leaves the fewest threads without a column; wide ones
    // where several do.
    int64_t least = columns + catena::cuda::kBlockThreads;
    for (int log = 5; log >= 3; --log) {
      const int64_t covered = catena::cuda::ceil_divide(columns, 1 << log)
                              << log;
      if (covered >= least) continue;
      least = covered;
      log_width = log;
    }
    tiles = least >> log_width;
    const int64_t step = lanes() * rows_per_lane;
    const int64_t wanted = catena::cuda::ceil_divide(blocks, tiles);
    rows = catena::cuda::ceil_divide(
               catena::cuda::ceil_divide(all_rows, wanted), step) *
           step;
    count = static_cast<unsigned int>(
        catena::cuda::ceil_divide(all_rows, std::max<int64_t>(rows, 1)));
  }

  // With no more than `most` blocks, but one for each tile.
  static ColumnParts at_most(int64_t columns, int64_t all_rows,
                             int64_t rows_per_lane, int64_t most) {
    const int64_t tiles =
        ColumnParts(columns, all_rows, rows_per_lane, 1).tiles;
    return {columns, all_rows, rows_per_lane,
            std::max<int64_t>(most / tiles, 1) * tiles};
  }

  int64_t lanes() const { return catena::cuda::kBlockThreads >> log_width; }
  int64_t blocks() const { return tiles * count; }
};

// A thread's place: its first column, and the rows [row, end) in steps of
// `lanes`.
struct ColumnThread {
  int64_t column;  // in packs
  int64_t row;
  int64_t end;
  int lanes;
  unsigned int tile;
  unsigned int part;

  __device__ ColumnThread(const ColumnParts& parts, int64_t all_rows) {
    const int width = 1 << parts.log_width;
    tile = blockIdx.x / parts.count;
    part = blockIdx.x - tile * parts.count;
    lanes = catena::cuda::kBlockThreads >> parts.log_width;
    column = int64_t{tile} * width + threadIdx.x % width;
    const int64_t begin = part * parts.rows;
    row = begin + (threadIdx.x >> parts.log_width);
    end = min(begin + parts.rows, all_rows);
  }
};

// Sums for each channel and part: (part, 2, channels).
template <class Terms, class S, int kSize>
__global__ void __launch_bounds__(catena::cuda::kBlockThreads)
    reduce_columns(functions::ChannelArgs args, ColumnParts parts,
                   double* sums) {
  using E = catena::cuda::Compute<S>;
  constexpr int kInputs = Terms::kInputs;
  constexpr int kRows = kPacksInFlight<kInputs>;
  constexpr int kWarps = catena::cuda::kBlockThreads / 32;
  __shared__ E shared[kWarps][2 * kSize][32];
  const ColumnThread self(parts, args.outer);
  E totals[2 * kSize] = {};
  if (self.column * kSize < args.channels) {
    E center[kSize];
    Terms::centers(args, self.column * kSize, center);
    const ChannelInputs<S, kInputs> in(args, self.column * kSize);
    const auto add = [&](const ChannelPacks<S, kInputs, kSize>& packs) {
#pragma unroll
      for (int j = 0; j < kSize; ++j) {
        E values[kInputs];
        element_of(packs, j, values);
        Terms::add(center[j], values, totals[j], totals[kSize + j]);
      }
    };
    const int64_t step = self.lanes * args.channels;
    int64_t row = self.row;
    int64_t offset = row * args.channels;
    for (; row + (kRows - 1) * self.lanes < self.end;
         row += kRows * self.lanes, offset += kRows * step) {
      ChannelPacks<S, kInputs, kSize> packs[kRows];
#pragma unroll
      for (int u = 0; u < kRows; ++u) packs[u].load(in, offset + u * step);
#pragma unroll
      for (int u = 0; u < kRows; ++u) add(packs[u]);
    }
#pragma unroll 1
    for (; row < self.end; row += self.lanes, offset += step) {
      ChannelPacks<S, kInputs, kSize> packs;
      packs.load(in, offset);
      add(packs);
    }
  }
  // The lanes of a warp, then the warps.
  const int width = 1 << parts.log_width;
  const int lane = threadIdx.x % 32;
  for (int distance = 16; distance >= width; distance /= 2) {
#pragma unroll
    for (int j = 0; j < 2 * kSize; ++j) {
      totals[j] += catena::cuda::shuffle_down(totals[j], distance);
    }
  }
#pragma unroll
  for (int j = 0; j < 2 * kSize; ++j) {
    shared[threadIdx.x / 32][j][lane] = totals[j];
  }
  __syncthreads();
  const int columns = width * kSize;
  for (int k = threadIdx.x; k < 2 * columns; k += catena::cuda::kBlockThreads) {
    const int which = k / columns;
    const int at = k - which * columns;
    const int64_t channel = int64_t{self.tile} * columns + at;
    if (channel >= args.channels) continue;
    double sum = 0;
#pragma unroll
    for (int warp = 0; warp < kWarps; ++warp) {
      sum += static_cast<double>(
          shared[warp][which * kSize + at % kSize][at / kSize]);
    }
    sums[(int64_t{self.part} * 2 + which) * args.channels + channel] = sum;
  }
}

template <class S, int inputs, int kSize>
__global__ void __launch_bounds__(catena::cuda::kBlockThreads)
    affine_columns(functions::ChannelArgs args, ColumnParts parts) {
  using E = catena::cuda::Compute<S>;
  constexpr int kRows = kPacksInFlight<inputs>;
  const ColumnThread self(parts, args.outer);
  if (self.column * kSize >= args.channels) return;
  const auto low = static_cast<E>(args.low);
  AffineNumbers<S, inputs> numbers[kSize];
  AffineNumbers<S, inputs>::load(args, self.column * kSize, numbers);
  const ChannelInputs<S, inputs> in(args, 0);
  const auto put = [&](const ChannelPacks<S, inputs, kSize>& packs,
                       int64_t offset) {
    E y[kSize];
    E other[kSize];
#pragma unroll
    for (int j = 0; j < kSize; ++j) {
      E values[inputs];
      element_of(packs, j, values);
      y[j] = numbers[j].apply(values, low, other[j]);
    }
    write_affine<S, inputs>(args, offset, y, other);
  };
  const int64_t step = self.lanes * args.channels;
  int64_t row = self.row;
  int64_t offset = row * args.channels + self.column * kSize;
  for (; row + (kRows - 1) * self.lanes < self.end;
       row += kRows * self.lanes, offset += kRows * step) {
    ChannelPacks<S, inputs, kSize> packs[kRows];
#pragma unroll
    for (int u = 0; u < kRows; ++u) packs[u].load(in, offset + u * step);
#pragma unroll
    for (int u = 0; u < kRows; ++u) put(packs[u], offset + u * step);
  }
#pragma unroll 1
  for (; row < self.end; row += self.lanes, offset += step) {
    ChannelPacks<S, inputs, kSize> packs;
    packs.load(in, offset);
    put(packs, offset);
  }
}

}  // namespace catena::kernels::CATENA_BACKEND
