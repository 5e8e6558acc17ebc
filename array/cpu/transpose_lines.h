#pragma once

#include <cstdint>
#include <string_view>

#include "catena/array/kernel_slot.h"

// Transposes matrices by non-temporal stores. A register that holds a whole
// cache line saves the buffer that would gather it.
namespace catena::array {

// A tile of items of 4 or 8 bytes: `columns` items of each of `rows` rows,
// which lie `from_stride` bytes apart, become the columns of rows `to_stride`
// apart. Both counts are multiples of the items in a cache line, and each row
// of `to` begins at one. Asks for what lies `ahead` bytes further on in `from`,
// a little at a time: all at once, it would keep the tile waiting. Call
// stream_fence() before another thread may read.
struct TransposeLines {
  static constexpr std::string_view kName = "transpose_lines";
  using Table = TransposeLines;
  // Null where registers are shorter than lines.
  void (*run)(int item_size, char* to, int64_t to_stride, const char* from,
              int64_t from_stride, int64_t rows, int64_t columns,
              int64_t ahead);
};

}  // namespace catena::array
