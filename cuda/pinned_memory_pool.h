#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

namespace catena::cuda {

// What a pool has of its source, in bytes.
struct PinnedMemoryStatistics {
  int64_t used_bytes = 0;  // in the sizes of blocks
  int64_t free_bytes = 0;  // cached, also those whose copies are not done
};

// A caching allocator of page-locked host memory, which GPUs access directly.
// Sizes are powers of two from 4 KiB. A block that a copy may still use is
// freed with a callback that tells whether the copy is done; it is not reused
// before. Thread-safe.
class PinnedMemoryPool {
 public:
  // Null if out of memory.
  using Allocate = void*(int64_t bytes);
  using Free = void(void* data) noexcept;
  // Whether the device is done with the block.
  using IsDone = std::function<bool()>;

  PinnedMemoryPool(Allocate* allocate, Free* free)
      : source_allocate_(allocate), source_free_(free) {}
  // Does not free blocks in use.
  ~PinnedMemoryPool();
  PinnedMemoryPool(const PinnedMemoryPool&) = delete;
  PinnedMemoryPool& operator=(const PinnedMemoryPool&) = delete;

  // At least `bytes` bytes (below 1 counts as 1). Throws OutOfMemoryError.
  void* allocate(int64_t bytes);
  // Frees memory from allocate(bytes) with the same `bytes`.
  void deallocate(void* data, int64_t bytes, IsDone is_done = nullptr) noexcept;

  // Returns unused blocks to the system.
  void free_all_blocks() noexcept;
  // The number of cached blocks, including those whose copies are not done.
  int64_t n_free_blocks() const;
  PinnedMemoryStatistics statistics() const;

 private:
  static constexpr int kClasses = 52;  // 4 KiB to 2^63

  struct Pending {
    void* data;
    IsDone is_done;
  };
  // The free blocks of one size.
  struct Blocks {
    std::vector<void*> ready;
    std::deque<Pending> pending;  // those freed first come first
  };

  [[noreturn]] void throw_out_of_memory(int64_t bytes) const;
  void* take_free(int size_class);
  void release_done() noexcept;

  Allocate* const source_allocate_;
  Free* const source_free_;
  mutable std::mutex mutex_;
  std::array<Blocks, kClasses> free_;
  PinnedMemoryStatistics statistics_;
};

}  // namespace catena::cuda
