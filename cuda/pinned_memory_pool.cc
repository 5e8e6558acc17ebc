#include "catena/cuda/pinned_memory_pool.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "catena/array/error.h"

namespace catena::cuda {
namespace {

constexpr int kLogSmallest = 12;

int class_of(int64_t bytes) {
  const auto last = static_cast<uint64_t>(std::max<int64_t>(bytes, 1) - 1);
  return std::max(static_cast<int>(std::bit_width(last)) - kLogSmallest, 0);
}

}  // namespace

PinnedMemoryPool::~PinnedMemoryPool() {
  for (std::vector<Block>& blocks : free_) {
    for (Block& block : blocks) source_free_(block.data);
  }
}

void* PinnedMemoryPool::allocate(int64_t bytes) {
  const int size_class = class_of(bytes);
  std::lock_guard lock(mutex_);
  void* data = take_free(size_class);
  if (data == nullptr && size_class + kLogSmallest < 63) {
    const int64_t size = int64_t{1} << (size_class + kLogSmallest);
    data = source_allocate_(size);
    if (data == nullptr) {
      release_done();
      data = source_allocate_(size);
    }
  }
  if (data == nullptr) {
    raise<OutOfMemoryError>("pinned memory: cannot allocate ", bytes,
                            " bytes of page-locked memory");
  }
  return data;
}

void PinnedMemoryPool::deallocate(void* data, int64_t bytes,
                                  IsDone is_done) noexcept {
  std::lock_guard lock(mutex_);
  free_[class_of(bytes)].push_back({data, std::move(is_done)});
}

void PinnedMemoryPool::free_all_blocks() noexcept {
  std::lock_guard lock(mutex_);
  release_done();
}

int64_t PinnedMemoryPool::n_free_blocks() const {
  std::lock_guard lock(mutex_);
  int64_t count = 0;
  for (const std::vector<Block>& blocks : free_) {
    count += static_cast<int64_t>(blocks.size());
  }
  return count;
}

void* PinnedMemoryPool::take_free(int size_class) {
  std::vector<Block>& blocks = free_[size_class];
  // The oldest blocks are done first.
  const auto found = std::find_if(blocks.begin(), blocks.end(),
                                  [](Block& block) { return block.done(); });
  if (found == blocks.end()) return nullptr;
  void* data = found->data;
  blocks.erase(found);
  return data;
}

void PinnedMemoryPool::release_done() noexcept {
  for (std::vector<Block>& blocks : free_) {
    std::erase_if(blocks, [this](Block& block) {
      if (!block.done()) return false;
      source_free_(block.data);
      return true;
    });
  }
}

}  // namespace catena::cuda
