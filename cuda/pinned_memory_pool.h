#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

namespace catena::cuda {

// A caching allocator of page-locked host memory, which GPUs read and write by
// themselves. Sizes are powers of two from 4 KiB. A block that a copy may still
// use is freed with a question that tells when it is done; it is not handed out
// before. All methods may be called from any thread.
class PinnedMemoryPool {
 public:
  // Null when there is no more.
  using Allocate = void*(int64_t bytes);
  using Free = void(void* data) noexcept;
  // Whether the device is done with the block.
  using IsDone = std::function<bool()>;

  PinnedMemoryPool(Allocate* allocate, Free* free)
      : source_allocate_(allocate), source_free_(free) {}
  // Blocks that are in use stay.
  ~PinnedMemoryPool();
  PinnedMemoryPool(const PinnedMemoryPool&) = delete;
  PinnedMemoryPool& operator=(const PinnedMemoryPool&) = delete;

  // At least `bytes` (below 1 counts as 1). OutOfMemoryError.
  void* allocate(int64_t bytes);
  // Takes back what allocate returned for the same `bytes`.
  void deallocate(void* data, int64_t bytes, IsDone is_done = nullptr) noexcept;

  // Gives blocks that nobody uses back to the system.
  void free_all_blocks() noexcept;
  // How many blocks are kept, those among them that are not done yet included.
  int64_t n_free_blocks() const;

 private:
  static constexpr int kClasses = 52;  // 4 KiB to 2^63

  struct Block {
    void* data;
    IsDone is_done;
    bool done() {
      if (is_done && is_done()) is_done = nullptr;
      return !is_done;
    }
  };

  void* take_free(int size_class);
  void release_done() noexcept;

  Allocate* const source_allocate_;
  Free* const source_free_;
  mutable std::mutex mutex_;
  std::array<std::vector<Block>, kClasses> free_;
};

}  // namespace catena::cuda
