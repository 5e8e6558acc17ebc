// The CPU's kernel behind nonzero.

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "catena/array/core/parallel.h"
#include "catena/array/indexing/nonzero_kernel.h"
#include "catena/array/kernels/kernel_definition.h"

namespace catena::kernels::CATENA_BACKEND {
namespace {

constexpr int64_t kBlock = 64 << 10;

int64_t count_set(const bool* flags, int64_t size) {
  int64_t count = 0;
  for (int64_t i = 0; i < size; ++i) count += flags[i];
  return count;
}

// Writes the positions of the set flags in [begin, end), eight flags at a time
// as the bits of a word.
void write_positions(const bool* flags, int64_t begin, int64_t end,
                     int64_t* positions) {
  static_assert(std::endian::native == std::endian::little);
  int64_t i = begin;
  for (; i + 8 <= end; i += 8) {
    uint64_t word;
    std::memcpy(&word, flags + i, sizeof(word));
    for (; word != 0; word &= word - 1) {
      *positions++ = i + std::countr_zero(word) / 8;
    }
  }
  for (; i < end; ++i) {
    if (flags[i]) *positions++ = i;
  }
}

// Blocks are counted first to find where the positions of each begin.
void nonzero(Device /*device*/, const bool* flags, int64_t size,
             int64_t* positions) {
  const int64_t blocks = (size + kBlock - 1) / kBlock;
  const auto each_block = [&](auto body) {
    catena::cpu::parallel_for(blocks, 1, [&](int64_t first, int64_t last) {
      for (int64_t b = first; b < last; ++b) {
        body(b, b * kBlock, std::min(size, (b + 1) * kBlock));
      }
    });
  };
  std::vector<int64_t> starts(blocks + 1, 0);
  each_block([&](int64_t b, int64_t begin, int64_t end) {
    starts[b + 1] = count_set(flags + begin, end - begin);
  });
  for (int64_t b = 0; b < blocks; ++b) starts[b + 1] += starts[b];
  each_block([&](int64_t b, int64_t begin, int64_t end) {
    write_positions(flags, begin, end, positions + starts[b]);
  });
}

}  // namespace

template <>
constinit const NonzeroKernel Kernels<NonzeroKernel>::table = {nonzero};

}  // namespace catena::kernels::CATENA_BACKEND
