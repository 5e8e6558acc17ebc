#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "catena/cuda/device_memory.h"
#include "catena/cuda/pinned_memory.h"

namespace catena::cuda {

// An address in a GPU buffer, which it keeps alive: a shared reference and an
// offset. Copies run on the device's current stream and are done on return. The
// _async copies run on the given stream; host memory should be page-locked and
// must stay valid until they are done. Throws IndexError, before anything is
// copied, when a range or offset is outside the buffer; CudaError.
class MemoryPointer {
 public:
  // A null pointer of size 0.
  MemoryPointer() = default;
  explicit MemoryPointer(std::shared_ptr<Memory> mem, int64_t offset = 0);
  // Memory from another allocator, freed by the owner's deleter.
  MemoryPointer(std::shared_ptr<void> owner, void* data, int64_t size,
                int device);

  int device() const { return device_; }
  // The owner of the buffer.
  const std::shared_ptr<void>& mem() const { return owner_; }
  void* ptr() const { return data_ + offset_; }
  // Bytes from here to the end of the buffer.
  int64_t size() const { return size_ - offset_; }

  MemoryPointer& operator+=(int64_t bytes);
  MemoryPointer& operator-=(int64_t bytes) { return *this += -bytes; }
  friend MemoryPointer operator+(MemoryPointer p, int64_t bytes) {
    return p += bytes;
  }
  friend MemoryPointer operator+(int64_t bytes, MemoryPointer p) {
    return p += bytes;
  }
  friend MemoryPointer operator-(MemoryPointer p, int64_t bytes) {
    return p -= bytes;
  }

  // Copy from another address, on this or another device, or from the host.
  void copy_from(const MemoryPointer& src, int64_t size) const {
    copy_from_device(src, size);
  }
  void copy_from(const void* src, int64_t size) const {
    copy_from_host(src, size);
  }
  void copy_from_device(const MemoryPointer& src, int64_t size) const;
  void copy_from_host(const void* src, int64_t size) const;
  void copy_to_host(void* to, int64_t size) const;
  // Sets bytes.
  void memset(int value, int64_t size) const;

  // The same on a stream; nothing waits. Host memory must stay as it is until
  // the stream has come by.
  void copy_from_device_async(const MemoryPointer& src, int64_t size,
                              cudaStream_t stream) const;
  // From the host.
  void copy_from_host_async(const void* src, int64_t size,
                            cudaStream_t stream) const;
  // To the host.
  void copy_to_host_async(void* to, int64_t size, cudaStream_t stream) const;
  // Sets bytes.
  void memset_async(int value, int64_t size, cudaStream_t stream) const;

 private:
  void check_range(int64_t size, const char* operation) const;
  void wait() const;

  std::shared_ptr<void> owner_;
  char* data_ = nullptr;
  int64_t offset_ = 0;
  int64_t size_ = 0;
  int device_ = 0;
};

// An address in page-locked host memory, which it keeps alive.
class PinnedMemoryPointer {
 public:
  PinnedMemoryPointer() = default;
  // Throws IndexError unless 0 <= offset <= the memory's size.
  explicit PinnedMemoryPointer(std::shared_ptr<PinnedMemory> mem,
                               int64_t offset = 0);
  // Memory from another allocator.
  PinnedMemoryPointer(std::shared_ptr<void> owner, void* data, int64_t size);

  const std::shared_ptr<void>& mem() const { return owner_; }
  void* ptr() const { return data_; }
  int64_t size() const { return size_; }

 private:
  std::shared_ptr<void> owner_;
  char* data_ = nullptr;
  int64_t size_ = 0;
};

// Managed memory (cudaMallocManaged): the host may touch it, too, when the
// devices have no work, and it may exceed the memory of a device:
// set_allocator(malloc_managed). An array of it:
//
//   const MemoryPointer memory = malloc_managed(bytes);
//   array::from_data(memory.ptr(), shape, dtype,
//                    {.owner = memory.mem(), .device = cuda_device()});
//
// Its end waits for the devices. Throws OutOfMemoryError; ValueError unless the
// size is positive.
MemoryPointer malloc_managed(int64_t size);

// What gives memory for a number of bytes.
using Allocator = std::function<MemoryPointer(int64_t size)>;
// The same for page-locked memory of the host.
using PinnedAllocator = std::function<PinnedMemoryPointer(int64_t size)>;

// Allocates memory on the current device with the current allocator, initially
// the device's pool. Throws OutOfMemoryError; ValueError when negative.
MemoryPointer alloc(int64_t size);
PinnedMemoryPointer alloc_pinned_memory(int64_t size);

// Set the allocator that alloc and alloc_pinned_memory call, in all threads; an
// empty function restores the pool. Arrays always use the pool, with its limit
// and statistics: see set_pool_allocator.
void set_allocator(Allocator allocator);
void set_pinned_memory_allocator(PinnedAllocator allocator);

// Sets where the pools of all devices, and so all arrays, take their memory
// from: CuPy's set_allocator(MemoryPool(allocator).malloc). An empty function
// restores cudaMalloc. With malloc_managed, there may be more arrays than a
// device has memory for.
//
// The pools ask for segments of at least 2 MiB and cut arrays from them; what
// they hold already stays where it is, unless free_all_blocks() is called. The
// memory must be on the current device, aligned to 512 bytes, and its owner's
// deleter must wait for the device, as cudaFree does. The allocator is called
// while the pool is locked: it must not take memory from it, as arrays and
// alloc do. If it throws OutOfMemoryError, the pool frees what it can and asks
// again. An allocation of an array throws ValueError when the memory is too
// small or on another device.
void set_pool_allocator(Allocator allocator);

}  // namespace catena::cuda
