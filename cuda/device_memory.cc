#include "catena/cuda/device_memory.h"

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "catena/array/core/device.h"
#include "catena/array/core/error.h"
#include "catena/cuda/device.h"
#include "catena/cuda/error.h"
#include "catena/cuda/pinned_memory.h"
#include "catena/cuda/replaceable.h"
#include "catena/cuda/stream.h"

namespace catena::cuda {
namespace {

Replaceable<internal::SegmentAllocator>& segment_allocator() {
  static auto& current = *new Replaceable<internal::SegmentAllocator>;
  return current;
}

class DeviceMemorySource final : public MemorySource {
 public:
  explicit DeviceMemorySource(int device) : device_(device) {}

  void* allocate(int64_t bytes) override {
    if (const auto custom = segment_allocator().get()) {
      try {
        internal::PoolSegment segment = custom(device_, bytes);
        owners_[segment.data] = std::move(segment.owner);
        return segment.data;
      } catch (const OutOfMemoryError&) {
        return nullptr;
      }
    }
    const DeviceGuard guard(device_);
    void* data = nullptr;
    const cudaError_t status = cudaMalloc(&data, static_cast<size_t>(bytes));
    if (status == cudaErrorMemoryAllocation) {
      ignore(status);
      return nullptr;
    }
    check(status, "cudaMalloc");
    return data;
  }

  std::string describe() override {
    try {
      const DeviceMemoryInfo info = memory_info(device_);
      const auto pinned = pinned_memory_pool().statistics();
      return str(
          info.free_bytes, " of ", info.total_bytes,
          " bytes free; page-locked memory of the host: ", pinned.used_bytes,
          " bytes in use, ", pinned.free_bytes, " cached");
    } catch (const Error&) {
      return {};
    }
  }

  // cudaFree waits for the device.
  void deallocate(void* data) noexcept override {
    if (owners_.erase(data) == 0) ignore(cudaFree(data));
  }

  void order_after(StreamPtr stream, StreamPtr other) noexcept override {
    try {
      cuda::order_after(device_, stream, device_, other);
    } catch (const Error&) {
      wait_for(other);
    }
  }

#ifdef CATENA_EMULATED_CUDA
  void mark(void* data, int64_t usable, int64_t bytes,
            StreamPtr stream) noexcept override {
    try {
      const DeviceGuard guard(device_);
      emulation::mark_memory(stream, data, static_cast<size_t>(usable),
                             static_cast<size_t>(bytes));
    } catch (const Error&) {
      // Without the mark, tools find less.
    }
  }
#endif

 private:
  // In the place of an order that the driver refuses. If it fails, the context
  // is corrupt: the next checked call reports it, and no more work will run.
  void wait_for(StreamPtr stream) noexcept {
    try {
      const DeviceGuard guard(device_);
      ignore(cudaStreamSynchronize(stream));
    } catch (const Error&) {
    }
  }

  int device_;
  // What frees the segments that are not from cudaMalloc.
  std::map<const void*, std::shared_ptr<void>> owners_;
};

std::array<std::atomic<MemoryPool*>, kMaxDevices> pools{};

void retire_stream(int device, cudaStream_t stream) noexcept {
  if (MemoryPool* pool = pools[device].load()) pool->retire_stream(stream);
}

MemoryPool& make_pool(int device) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  if (MemoryPool* pool = pools[device].load()) return *pool;
  if (device >= device_count()) {
    check_cuda_available();
    raise<DeviceError>("cuda::memory_pool: expected a GPU index below ",
                       device_count(), ", got ", device);
  }
  internal::set_stream_observer(retire_stream);
  // Never destroyed: arrays in static variables may outlive it.
  auto* pool = new MemoryPool(to_string(cuda_device(device)),
                              std::make_unique<DeviceMemorySource>(device));
  pools[device] = pool;
  return *pool;
}

}  // namespace

MemoryPool& memory_pool(int device) {
  if (device < 0 || device >= kMaxDevices) {
    raise<DeviceError>("cuda::memory_pool: expected a GPU index below ",
                       kMaxDevices, ", got ", device);
  }
  MemoryPool* pool = pools[device].load(std::memory_order_acquire);
  return pool != nullptr ? *pool : make_pool(device);
}

void free_all_blocks() noexcept {
  for (const std::atomic<MemoryPool*>& slot : pools) {
    if (MemoryPool* pool = slot.load()) pool->free_all_blocks();
  }
}

void record_use(const void* data, int device, cudaStream_t stream) {
  memory_pool(device).record_use(data, stream);
}

void internal::set_segment_allocator(SegmentAllocator allocator) {
  segment_allocator().set(std::move(allocator));
}

Memory::Memory(int64_t size, int device)
    : Memory(size, device, current_stream(device)) {}

Memory::Memory(int64_t size, int device, cudaStream_t stream)
    : size_(size), device_(device) {
  if (size < 0) {
    raise<ValueError>("cuda::Memory: expected a size of at least 0, got ",
                      size);
  }
  if (size > 0) data_ = memory_pool(device).allocate(size, stream);
}

Memory::~Memory() {
  if (data_ != nullptr) memory_pool(device_).deallocate(data_);
}

Memory::Memory(Memory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      device_(other.device_) {}

Memory& Memory::operator=(Memory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(device_, other.device_);
  return *this;
}

void Memory::memset_async(int value, cudaStream_t stream) const {
  if (size_ == 0) return;
  const DeviceGuard guard(device_);
  check(cudaMemsetAsync(data_, value, static_cast<size_t>(size_), stream),
        "cudaMemsetAsync");
}

void copy_async(void* to, const void* from, int64_t bytes, int device,
                cudaStream_t stream) {
  if (bytes == 0) return;
  const DeviceGuard guard(device);
  check(cudaMemcpyAsync(to, from, static_cast<size_t>(bytes), cudaMemcpyDefault,
                        stream),
        "cudaMemcpyAsync");
}

}  // namespace catena::cuda
