#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace catena {

// The memory of a caching allocator, for the host or a GPU
// (cuda/memory_pool.h).
struct MemoryPoolStatistics {
  int64_t used_bytes = 0;     // allocated and not yet freed
  int64_t free_bytes = 0;     // cached
  int64_t n_free_blocks = 0;  // cached blocks; on the host those above 1 MiB
  int64_t limit_bytes = 0;    // on total_bytes(); 0: no limit
  int64_t total_bytes() const { return used_bytes + free_bytes; }
};

}  // namespace catena

// The host's caching allocator. Fresh memory costs 15 to 50 times a reused
// block (page faults), so blocks are cached: as many as keep the memory within
// one and a half times the most that was in use at once, and those that the
// program asked for again after they had been returned for that.
// Blocks up to 1 MiB come from thread-local free lists, without a lock; larger
// ones from a shared list, on huge pages. Any thread may free any block.
namespace catena::cpu {

// Memory of at least `bytes` (0 counts as 1), aligned to 64 bytes, not zeroed.
// Throws OutOfMemoryError when the system fails or the limit is exceeded.
void* pool_allocate(int64_t bytes);

// Frees memory from pool_allocate(bytes) with the same `bytes`.
void pool_free(void* data, int64_t bytes) noexcept;

// What the pool of the host holds, of all threads.
MemoryPoolStatistics memory_pool_statistics();

// Limits the bytes reserved from the system; 0 removes the limit. Throws
// ValueError when negative.
void set_memory_pool_limit(int64_t bytes);

// Returns cached blocks above 1 MiB to the system, and counts the most in use
// from now on.
void free_all_blocks();

// memcpy, multi-threaded and with non-temporal stores where that is faster.
void copy_bytes(void* to, const void* from, int64_t bytes);

// Owns uninitialized memory from the pool for `count` items, at least 0. Throws
// OutOfMemoryError, also for more bytes than a number can say.
template <class Item>
class PoolBuffer {
 public:
  explicit PoolBuffer(int64_t count)
      : bytes_(bytes_of(count)),
        items_(static_cast<Item*>(pool_allocate(bytes_))) {}
  ~PoolBuffer() { pool_free(items_, bytes_); }
  PoolBuffer(const PoolBuffer&) = delete;
  PoolBuffer& operator=(const PoolBuffer&) = delete;

  Item* get() const { return items_; }

 private:
  static int64_t bytes_of(int64_t count) {
    int64_t bytes = 0;
    const bool overflows = __builtin_mul_overflow(
        count, static_cast<int64_t>(sizeof(Item)), &bytes);
    return overflows ? std::numeric_limits<int64_t>::max() : bytes;
  }

  int64_t bytes_;
  Item* items_;
};

// Base class of small, frequently allocated objects: graph nodes, array
// descriptions. The class must be the most derived one or have a virtual
// destructor, so that delete knows its size.
struct Pooled {
  static void* operator new(size_t bytes) {
    return pool_allocate(static_cast<int64_t>(bytes));
  }
  static void operator delete(void* data, size_t bytes) noexcept {
    pool_free(data, static_cast<int64_t>(bytes));
  }
};

}  // namespace catena::cpu
