#include "catena/cuda/memory_pointer.h"

#include <utility>

#include "catena/array/core/device.h"
#include "catena/array/core/error.h"
#include "catena/cuda/device.h"
#include "catena/cuda/error.h"
#include "catena/cuda/failure.h"
#include "catena/cuda/host_wait.h"
#include "catena/cuda/replaceable.h"
#include "catena/cuda/stream.h"

namespace catena::cuda {
namespace {

Replaceable<Allocator>& allocator() {
  static auto& current = *new Replaceable<Allocator>;
  return current;
}

Replaceable<PinnedAllocator>& pinned_allocator() {
  static auto& current = *new Replaceable<PinnedAllocator>;
  return current;
}

}  // namespace

MemoryPointer::MemoryPointer(std::shared_ptr<Memory> mem, int64_t offset)
    : data_(static_cast<char*>(mem->ptr())),
      size_(mem->size()),
      device_(mem->device()) {
  owner_ = std::move(mem);
  *this += offset;
}

MemoryPointer::MemoryPointer(std::shared_ptr<void> owner, void* data,
                             int64_t size, int device)
    : owner_(std::move(owner)),
      data_(static_cast<char*>(data)),
      size_(size),
      device_(device) {}

MemoryPointer& MemoryPointer::operator+=(int64_t bytes) {
  int64_t offset = 0;
  if (__builtin_add_overflow(offset_, bytes, &offset) || offset < 0 ||
      offset > size_) {
    raise<IndexError>("MemoryPointer: expected an offset in [0, ", size_,
                      "], got ", offset_, " + ", bytes);
  }
  offset_ = offset;
  return *this;
}

void MemoryPointer::check_range(int64_t size, const char* operation) const {
  if (size < 0 || size > this->size()) {
    raise<IndexError>("MemoryPointer::", operation, ": expected a size in [0, ",
                      this->size(), "], got ", size);
  }
}

void MemoryPointer::wait() const {
  check_host_wait(device_, "MemoryPointer");
  const DeviceGuard guard(device_);
  check(cudaStreamSynchronize(current_stream(device_)),
        "cudaStreamSynchronize");
  throw_failure(device_);
}

void MemoryPointer::copy_from_device_async(const MemoryPointer& src,
                                           int64_t size,
                                           cudaStream_t stream) const {
  check_range(size, "copy_from_device");
  src.check_range(size, "copy_from_device (source)");
  if (size == 0) return;
  const DeviceGuard guard(device_);
  check(cudaMemcpyPeerAsync(ptr(), device_, src.ptr(), src.device_,
                            static_cast<size_t>(size), stream),
        "cudaMemcpyPeerAsync");
}

void MemoryPointer::copy_from_host_async(const void* src, int64_t size,
                                         cudaStream_t stream) const {
  check_range(size, "copy_from_host");
  copy_async(ptr(), src, size, device_, stream);
}

void MemoryPointer::copy_to_host_async(void* to, int64_t size,
                                       cudaStream_t stream) const {
  check_range(size, "copy_to_host");
  copy_async(to, ptr(), size, device_, stream);
}

void MemoryPointer::memset_async(int value, int64_t size,
                                 cudaStream_t stream) const {
  check_range(size, "memset");
  if (size == 0) return;
  const DeviceGuard guard(device_);
  check(cudaMemsetAsync(ptr(), value, static_cast<size_t>(size), stream),
        "cudaMemsetAsync");
}

void MemoryPointer::copy_from_device(const MemoryPointer& src,
                                     int64_t size) const {
  check_range(size, "copy_from_device");
  src.check_range(size, "copy_from_device (source)");
  if (size == 0) return;
  // Wait for earlier work on the source.
  order_after(device_, current_stream(device_), src.device_,
              current_stream(src.device_));
  copy_from_device_async(src, size, current_stream(device_));
  wait();
}

void MemoryPointer::copy_from_host(const void* src, int64_t size) const {
  check_range(size, "copy_from_host");
  if (size == 0) return;
  copy_from_host_async(src, size, current_stream(device_));
  wait();
}

void MemoryPointer::copy_to_host(void* to, int64_t size) const {
  check_range(size, "copy_to_host");
  if (size == 0) return;
  copy_to_host_async(to, size, current_stream(device_));
  wait();
}

void MemoryPointer::memset(int value, int64_t size) const {
  check_range(size, "memset");
  if (size == 0) return;
  memset_async(value, size, current_stream(device_));
  wait();
}

PinnedMemoryPointer::PinnedMemoryPointer(std::shared_ptr<PinnedMemory> mem,
                                         int64_t offset)
    : size_(mem->size() - offset) {
  if (offset < 0 || offset > mem->size()) {
    raise<IndexError>("PinnedMemoryPointer: expected an offset in [0, ",
                      mem->size(), "], got ", offset);
  }
  data_ = static_cast<char*>(mem->ptr()) + offset;
  owner_ = std::move(mem);
}

PinnedMemoryPointer::PinnedMemoryPointer(std::shared_ptr<void> owner,
                                         void* data, int64_t size)
    : owner_(std::move(owner)), data_(static_cast<char*>(data)), size_(size) {}

MemoryPointer malloc_managed(int64_t size) {
  if (size <= 0) {
    raise<ValueError>("malloc_managed: expected a positive size, got ", size);
  }
  const int device = default_device();
  const DeviceGuard guard(device);
  void* data = nullptr;
  const cudaError_t status =
      cudaMallocManaged(&data, static_cast<size_t>(size));
  if (status == cudaErrorMemoryAllocation) {
    ignore(status);
    raise<OutOfMemoryError>("malloc_managed: cannot allocate ", size,
                            " bytes of managed memory");
  }
  check(status, "cudaMallocManaged");
  const std::shared_ptr<void> owner(
      data, [](void* memory) { ignore(cudaFree(memory)); });
  return MemoryPointer(owner, data, size, device);
}

MemoryPointer alloc(int64_t size) {
  if (size < 0) {
    raise<ValueError>("cuda::alloc: expected a size of at least 0, got ", size);
  }
  if (const Allocator custom = allocator().get()) return custom(size);
  return MemoryPointer(std::make_shared<Memory>(size, default_device()));
}

PinnedMemoryPointer alloc_pinned_memory(int64_t size) {
  if (size < 0) {
    raise<ValueError>(
        "cuda::alloc_pinned_memory: expected a size of at least 0, got ", size);
  }
  if (const PinnedAllocator custom = pinned_allocator().get()) {
    return custom(size);
  }
  return PinnedMemoryPointer(std::make_shared<PinnedMemory>(size));
}

void set_allocator(Allocator custom) { allocator().set(std::move(custom)); }

void set_pool_allocator(Allocator custom) {
  if (!custom) {
    internal::set_segment_allocator(nullptr);
    return;
  }
  internal::set_segment_allocator([custom = std::move(custom)](int device,
                                                               int64_t bytes) {
    const DeviceScope scope(cuda_device(device));
    const MemoryPointer memory = custom(bytes);
    if (memory.device() != device || memory.size() < bytes) {
      raise<ValueError>("set_pool_allocator: expected memory of ", bytes,
                        " bytes on ", cuda_device(device), ", got ",
                        memory.size(), " on ", cuda_device(memory.device()));
    }
    return internal::PoolSegment{memory.mem(), memory.ptr()};
  });
}

void set_pinned_memory_allocator(PinnedAllocator custom) {
  pinned_allocator().set(std::move(custom));
}

}  // namespace catena::cuda
