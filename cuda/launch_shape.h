#pragma once

#include <algorithm>
#include <cstdint>

namespace catena::cuda {

// The threads of a block in kernels that have no reason for another number.
inline constexpr int kBlockThreads = 256;

constexpr int64_t ceil_divide(int64_t a, int64_t b) { return (a + b - 1) / b; }

// How many blocks of kBlockThreads a kernel needs that loops with the stride of
// the grid over `items`, where a thread takes `items_per_thread` at a time:
// no more than the multiprocessors run at once (2048 threads each), since
// further blocks would only repeat the set-up.
constexpr int grid_stride_blocks(int64_t items, int items_per_thread,
                                 int multiprocessors) {
  const int64_t wanted = ceil_divide(items, kBlockThreads * items_per_thread);
  const int64_t resident = int64_t{multiprocessors} * (2048 / kBlockThreads);
  return static_cast<int>(std::clamp<int64_t>(wanted, 1, resident));
}

}  // namespace catena::cuda
