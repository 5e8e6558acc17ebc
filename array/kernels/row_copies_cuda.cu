// CUDA's kernel of many copies in one launch (array/kernels/row_copies.h).

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

#include "catena/array/core/host_device.h"
#include "catena/array/kernels/kernel_definition.h"
#include "catena/array/kernels/row_copies.h"
#include "catena/cuda/element.cuh"
#include "catena/cuda/launch.h"
#include "catena/cuda/launch_shape.h"
#include "catena/cuda/load_if.cuh"

namespace catena::kernels::CATENA_BACKEND {
namespace {

using catena::cuda::kBlockThreads;

// The words that a thread has in flight, and those of a block: a part of a row,
// or some rows.
constexpr int kWords = 4;
constexpr int kLogTile = std::countr_zero(unsigned{kWords * kBlockThreads});

// The copies of one launch. Each has its own consecutive blocks.
struct CopyParams {
  static constexpr int kCopies = 64;

  int count;
  uint32_t first_blocks[kCopies];
  // The words in a row of a block's tile, as a power of 2.
  uint8_t log_columns[kCopies];
  RowCopy copies[kCopies];  // `bytes` counts words
};
// Kernel arguments are limited to 4 KiB.
static_assert(sizeof(CopyParams) <= 4096);

CATENA_HOST_DEVICE int64_t tiles_for(int64_t items, int log_tile) {
  return (items + (int64_t{1} << log_tile) - 1) >> log_tile;
}

__device__ __forceinline__ int copy_of_block(const CopyParams& params) {
  int first = 0;
  int end = params.count;
  while (end - first > 1) {
    const int middle = (first + end) / 2;
    (blockIdx.x < params.first_blocks[middle] ? end : first) = middle;
  }
  return first;
}

template <class Word>
__global__ void __launch_bounds__(kBlockThreads) copy_rows(CopyParams params) {
  const int index = copy_of_block(params);
  const RowCopy& copy = params.copies[index];
  const int log_columns = params.log_columns[index];
  const auto across = static_cast<uint32_t>(tiles_for(copy.bytes, log_columns));
  const uint32_t tile = blockIdx.x - params.first_blocks[index];
  const uint32_t down = tile / across;
  const int64_t first_row = int64_t{down} << (kLogTile - log_columns);
  const int64_t first_column = int64_t{tile - down * across} << log_columns;
  bool is_inside[kWords];
  Word* to[kWords];
  catena::cuda::Pack<Word, 1> words[kWords] = {};
#pragma unroll
  for (int i = 0; i < kWords; ++i) {
    const int position = i * kBlockThreads + static_cast<int>(threadIdx.x);
    const int64_t row = first_row + (position >> log_columns);
    const int64_t column = first_column + (position & ((1 << log_columns) - 1));
    // Without a branch, which would part the loads.
    is_inside[i] = bool(int(row < copy.rows) & int(column < copy.bytes));
    to[i] = reinterpret_cast<Word*>(copy.to + row * copy.to_stride) + column;
    catena::cuda::load_pack_if(
        is_inside[i],
        reinterpret_cast<const Word*>(copy.from + row * copy.from_stride) +
            column,
        /*offset=*/0, words[i]);
  }
#pragma unroll
  for (int i = 0; i < kWords; ++i) {
    if (is_inside[i]) *to[i] = words[i].elements[0];
  }
}

// Makes the copies of one launch.
template <class Word>
void copy_in_words(Device device, std::span<const RowCopy> copies) {
  CopyParams params{};
  params.count = static_cast<int>(copies.size());
  int64_t blocks = 0;
  for (int i = 0; i < params.count; ++i) {
    RowCopy& copy = params.copies[i];
    copy = copies[i];
    copy.bytes /= static_cast<int64_t>(sizeof(Word));
    params.first_blocks[i] = static_cast<uint32_t>(blocks);
    const int log_columns = std::min<int>(
        kLogTile, std::bit_width(static_cast<uint64_t>(copy.bytes - 1)));
    params.log_columns[i] = static_cast<uint8_t>(log_columns);
    blocks += tiles_for(copy.bytes, log_columns) *
              tiles_for(copy.rows, kLogTile - log_columns);
  }
  catena::cuda::launch(copy_rows<Word>, blocks, kBlockThreads, device.index(),
                       params);
}

// The lowest bit set in any address, extent or stride.
int log_alignment(std::span<const RowCopy> copies) {
  uint64_t all = 16;
  for (const RowCopy& copy : copies) {
    all |= reinterpret_cast<uintptr_t>(copy.from) |
           reinterpret_cast<uintptr_t>(copy.to) |
           static_cast<uint64_t>(copy.bytes) |
           static_cast<uint64_t>(copy.from_stride) |
           static_cast<uint64_t>(copy.to_stride);
  }
  return std::countr_zero(all);
}

void copy_many(Device device, std::span<const RowCopy> copies) {
  constexpr CopyRows* const kCopies[] = {
      copy_in_words<uint8_t>, copy_in_words<uint16_t>, copy_in_words<uint32_t>,
      copy_in_words<uint64_t>, copy_in_words<uint4>};
  while (!copies.empty()) {
    const auto part =
        copies.first(std::min<size_t>(copies.size(), CopyParams::kCopies));
    kCopies[log_alignment(part)](device, part);
    copies = copies.subspan(part.size());
  }
}

}  // namespace

template <>
constinit const RowCopies Kernels<RowCopies>::table = {copy_many};

extern const auto kRowCopies = register_kernels<RowCopies>();

}  // namespace catena::kernels::CATENA_BACKEND
