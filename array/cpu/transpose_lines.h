#pragma once

#include <cstdint>
#include <string_view>

#include "catena/array/kernels/kernel_slot.h"

// Transposes matrices with non-temporal stores. Registers that hold a whole
// cache line make a buffer unnecessary.
namespace catena::array {

// Transposes a tile of `rows` by `columns` items of 4 or 8 bytes, with rows
// `from_stride` bytes apart in `from` and `to_stride` bytes apart in `to`. Both
// counts are multiples of the items per cache line, and each row of `to` is
// aligned to a line. Prefetches `ahead` bytes further on in `from`, gradually,
// so as not to stall the tile. Call stream_fence() before another thread reads.
struct TransposeLines {
  static constexpr std::string_view kName = "transpose_lines";
  using Table = TransposeLines;
  // Null if registers are shorter than cache lines.
  void (*run)(int item_size, char* to, int64_t to_stride, const char* from,
              int64_t from_stride, int64_t rows, int64_t columns,
              int64_t ahead);
};

}  // namespace catena::array
