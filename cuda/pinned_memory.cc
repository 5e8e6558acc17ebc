#include "catena/cuda/pinned_memory.h"

#include <cuda_runtime_api.h>

#include <memory>
#include <utility>

#include "catena/array/core/capture.h"
#include "catena/array/core/error.h"
#include "catena/cuda/error.h"

namespace catena::cuda {
namespace {

void* allocate_pinned(int64_t bytes) {
  void* data = nullptr;
  const cudaError_t status =
      cudaHostAlloc(&data, static_cast<size_t>(bytes), cudaHostAllocPortable);
  if (status == cudaErrorMemoryAllocation) {
    ignore(status);
    return nullptr;
  }
  check(status, "cudaHostAlloc");
  return data;
}

void free_pinned(void* data) noexcept { ignore(cudaFreeHost(data)); }

}  // namespace

PinnedMemoryPool& pinned_memory_pool() {
  static PinnedMemoryPool& pool =
      *new PinnedMemoryPool(allocate_pinned, free_pinned);
  return pool;
}

PinnedMemory::PinnedMemory(int64_t size) : size_(size) {
  if (size < 0) {
    raise<ValueError>("PinnedMemory: expected a size of at least 0, got ",
                      size);
  }
  data_ = pinned_memory_pool().allocate(size);
}

PinnedMemory::~PinnedMemory() {
  if (data_ != nullptr) pinned_memory_pool().deallocate(data_, size_);
}

PinnedMemory::PinnedMemory(PinnedMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}

PinnedMemory& PinnedMemory::operator=(PinnedMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

void PinnedMemory::free_after(Event event) {
  // The event says nothing about launches of the graph, which use the memory
  // again.
  if (Capture* const capture = current_capture()) {
    capture->keep(std::make_shared<PinnedMemory>(std::move(*this)));
    return;
  }
  // std::function requires a copyable object.
  auto shared = std::make_shared<Event>(std::move(event));
  const auto is_done = [shared] {
    cudaError_t status = cudaEventQuery(shared->ptr());
    ignore(status);
    if (status != cudaSuccess && status != cudaErrorNotReady) {
      // A context that fails again is corrupt, and uses no memory.
      status = cudaEventQuery(shared->ptr());
      ignore(status);
    }
    return status != cudaErrorNotReady;
  };
  pinned_memory_pool().deallocate(std::exchange(data_, nullptr), size_,
                                  is_done);
}

}  // namespace catena::cuda
