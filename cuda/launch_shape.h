#pragma once

#include <algorithm>
#include <cstdint>

namespace catena::cuda {

// The default number of threads per block.
inline constexpr int kBlockThreads = 256;

constexpr int64_t ceil_divide(int64_t a, int64_t b) { return (a + b - 1) / b; }

// The number of blocks of kBlockThreads for a grid-stride loop over `items`,
// `items_per_thread` at a time. At most as many as the multiprocessors run at
// once (2048 threads each), since more would only repeat the set-up.
constexpr int grid_stride_blocks(int64_t items, int items_per_thread,
                                 int multiprocessors) {
  const int64_t wanted = ceil_divide(items, kBlockThreads * items_per_thread);
  const int64_t resident = int64_t{multiprocessors} * (2048 / kBlockThreads);
  return static_cast<int>(std::clamp<int64_t>(wanted, 1, resident));
}

}  // namespace catena::cuda
