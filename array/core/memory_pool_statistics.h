#pragma once

#include <cstdint>

namespace catena {

// The memory of a caching allocator, for the host (array/core/memory_pool.h) or
// a GPU (cuda/memory_pool.h).
struct MemoryPoolStatistics {
  int64_t used_bytes = 0;     // allocated and not yet freed
  int64_t free_bytes = 0;     // cached
  int64_t n_free_blocks = 0;  // cached blocks; on the host those above 1 MiB
  int64_t limit_bytes = 0;    // on total_bytes(); 0: no limit
  int64_t total_bytes() const { return used_bytes + free_bytes; }
};

}  // namespace catena
