#pragma once

#include <cstdint>

#include "catena/cuda/event.h"
#include "catena/cuda/pinned_memory_pool.h"

namespace catena::cuda {

// The pool of page-locked host memory. Lives as long as the process.
PinnedMemoryPool& pinned_memory_pool();

// Owns page-locked host memory from the pool, which copy_async accesses
// asynchronously. Movable.
class PinnedMemory {
 public:
  // Throws OutOfMemoryError; ValueError when negative.
  explicit PinnedMemory(int64_t size);
  ~PinnedMemory();
  PinnedMemory(PinnedMemory&& other) noexcept;
  PinnedMemory& operator=(PinnedMemory&& other) noexcept;

  void* ptr() const { return data_; }
  int64_t size() const { return size_; }

  // Frees the memory now; the pool does not reuse it before the event. In a
  // capture the graph keeps the memory, as every launch uses it.
  void free_after(Event event);

 private:
  void* data_ = nullptr;
  int64_t size_ = 0;
};

}  // namespace catena::cuda
