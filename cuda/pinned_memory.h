#pragma once

#include <cstdint>

#include "catena/cuda/event.h"
#include "catena/cuda/pinned_memory_pool.h"

namespace catena::cuda {

// The pool of page-locked host memory. It lives as long as the process.
PinnedMemoryPool& pinned_memory_pool();

// Page-locked host memory of the pool, which copy_async reads and writes
// without waiting. Movable.
class PinnedMemory {
 public:
  // OutOfMemoryError; ValueError when negative.
  explicit PinnedMemory(int64_t size);
  ~PinnedMemory();
  PinnedMemory(PinnedMemory&& other) noexcept;
  PinnedMemory& operator=(PinnedMemory&& other) noexcept;

  void* ptr() const { return data_; }
  int64_t size() const { return size_; }

  // Frees the memory now; the pool does not hand it out again before the event.
  void free_after(Event event);

 private:
  void* data_ = nullptr;
  int64_t size_ = 0;
};

}  // namespace catena::cuda
