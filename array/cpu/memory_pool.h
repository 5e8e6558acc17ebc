#pragma once

#include <cstddef>
#include <cstdint>

#include "catena/array/memory_pool_statistics.h"

// The host's caching allocator. Fresh memory costs 15 to 50 times a reused
// block (page faults), so nothing is given back to the system until asked.
// Blocks up to 1 MiB come from thread-local free lists, without a lock; larger
// ones from a shared list, on huge pages. Any thread may free any block.
namespace catena::cpu {

// Memory of at least `bytes` (0 counts as 1), aligned to 64 bytes, not zeroed.
// OutOfMemoryError when the system or the limit refuses.
void* pool_allocate(int64_t bytes);

// Gives back what pool_allocate returned for the same `bytes`.
void pool_free(void* data, int64_t bytes) noexcept;

MemoryPoolStatistics memory_pool_statistics();

// Refuses to reserve more than this from the system; 0 lifts the limit.
// ValueError when negative.
void set_memory_pool_limit(int64_t bytes);

// Returns cached blocks above 1 MiB to the system.
void free_all_blocks();

// memcpy, split over threads and non-temporal when that is faster.
void copy_bytes(void* to, const void* from, int64_t bytes);

// Memory of the pool for so many items, not initialized, as long as it lives.
template <class Item>
class PoolBuffer {
 public:
  explicit PoolBuffer(int64_t count)
      : bytes_(count * static_cast<int64_t>(sizeof(Item))),
        items_(static_cast<Item*>(pool_allocate(bytes_))) {}
  ~PoolBuffer() { pool_free(items_, bytes_); }
  PoolBuffer(const PoolBuffer&) = delete;
  PoolBuffer& operator=(const PoolBuffer&) = delete;

  Item* get() const { return items_; }

 private:
  int64_t bytes_;
  Item* items_;
};

// Base of small objects that come and go all the time: graph nodes, array
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
