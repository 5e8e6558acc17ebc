#pragma once

#include <cstdint>

namespace catena {

// What a caching allocator, of the host (array/cpu/memory_pool.h) or of a GPU
// (cuda/memory_pool.h), has taken from the system or the driver.
struct MemoryPoolStatistics {
  int64_t used_bytes = 0;     // handed out and not yet freed
  int64_t free_bytes = 0;     // kept for reuse
  int64_t n_free_blocks = 0;  // that can be given back; on the host the large
  int64_t limit_bytes = 0;    // of used and free together; 0: no limit
  int64_t total_bytes() const { return used_bytes + free_bytes; }
};

}  // namespace catena
