#include "catena/cuda/pinned_memory_pool.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "catena/array/core/error.h"

namespace catena::cuda {
namespace {

constexpr int kLogSmallest = 12;

int class_of(int64_t bytes) {
  const auto last = static_cast<uint64_t>(std::max<int64_t>(bytes, 1) - 1);
  return std::max(static_cast<int>(std::bit_width(last)) - kLogSmallest, 0);
}

int64_t bytes_of(int size_class) {
  return int64_t{1} << (size_class + kLogSmallest);
}

}  // namespace

PinnedMemoryPool::~PinnedMemoryPool() {
  for (const Blocks& blocks : free_) {
    for (void* data : blocks.ready) source_free_(data);
    for (const Pending& block : blocks.pending) source_free_(block.data);
  }
}

void* PinnedMemoryPool::allocate(int64_t bytes) {
  const int size_class = class_of(bytes);
  std::lock_guard lock(mutex_);
  if (size_class + kLogSmallest >= 63) throw_out_of_memory(bytes);
  const int64_t size = bytes_of(size_class);
  void* data = take_free(size_class);
  if (data != nullptr) {
    statistics_.free_bytes -= size;
  } else {
    data = source_allocate_(size);
    if (data == nullptr) {
      release_done();
      data = source_allocate_(size);
    }
    if (data == nullptr) throw_out_of_memory(bytes);
  }
  statistics_.used_bytes += size;
  return data;
}

void PinnedMemoryPool::throw_out_of_memory(int64_t bytes) const {
  raise<OutOfMemoryError>(
      "pinned memory: cannot allocate ", bytes,
      " bytes of page-locked memory: ", statistics_.used_bytes,
      " bytes in use, ", statistics_.free_bytes, " cached");
}

void PinnedMemoryPool::deallocate(void* data, int64_t bytes,
                                  IsDone is_done) noexcept {
  std::lock_guard lock(mutex_);
  const int size_class = class_of(bytes);
  statistics_.used_bytes -= bytes_of(size_class);
  statistics_.free_bytes += bytes_of(size_class);
  Blocks& blocks = free_[size_class];
  if (is_done) {
    blocks.pending.push_back({data, std::move(is_done)});
  } else {
    blocks.ready.push_back(data);
  }
}

void PinnedMemoryPool::free_all_blocks() noexcept {
  std::lock_guard lock(mutex_);
  release_done();
}

int64_t PinnedMemoryPool::n_free_blocks() const {
  std::lock_guard lock(mutex_);
  int64_t count = 0;
  for (const Blocks& blocks : free_) {
    count += static_cast<int64_t>(blocks.ready.size() + blocks.pending.size());
  }
  return count;
}

PinnedMemoryStatistics PinnedMemoryPool::statistics() const {
  std::lock_guard lock(mutex_);
  return statistics_;
}

void* PinnedMemoryPool::take_free(int size_class) {
  Blocks& blocks = free_[size_class];
  if (!blocks.ready.empty()) {
    void* data = blocks.ready.back();
    blocks.ready.pop_back();
    return data;
  }
  // The oldest are done first. Those of a slow stream move back, so that a few
  // questions per call find what others have finished.
  constexpr size_t kQuestions = 4;
  for (size_t left = std::min(kQuestions, blocks.pending.size()); left > 0;
       --left) {
    Pending block = std::move(blocks.pending.front());
    blocks.pending.pop_front();
    if (block.is_done()) return block.data;
    blocks.pending.push_back(std::move(block));
  }
  return nullptr;
}

void PinnedMemoryPool::release_done() noexcept {
  for (int size_class = 0; size_class < kClasses; ++size_class) {
    Blocks& blocks = free_[size_class];
    for (void* data : blocks.ready) source_free_(data);
    auto released = static_cast<int64_t>(blocks.ready.size());
    blocks.ready.clear();
    released += static_cast<int64_t>(
        std::erase_if(blocks.pending, [this](Pending& block) {
          if (!block.is_done()) return false;
          source_free_(block.data);
          return true;
        }));
    if (released > 0) statistics_.free_bytes -= released * bytes_of(size_class);
  }
}

}  // namespace catena::cuda
