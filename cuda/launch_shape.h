#pragma once

#include <algorithm>
#include <cstdint>

namespace catena::cuda {

// The default number of threads per block.
inline constexpr int kBlockThreads = 256;

constexpr int64_t ceil_divide(int64_t a, int64_t b) { return (a + b - 1) / b; }

// The number of blocks of kBlockThreads for a grid-stride loop over `items`,
// `items_per_thread` at a time. At most as many as run at once, which
// resident_blocks() of launch.h says: more would only repeat the set-up.
constexpr int64_t loop_blocks(int64_t items, int64_t items_per_thread,
                              int64_t resident) {
  const int64_t wanted = ceil_divide(items, kBlockThreads * items_per_thread);
  return std::clamp<int64_t>(wanted, 1, resident);
}

}  // namespace catena::cuda
