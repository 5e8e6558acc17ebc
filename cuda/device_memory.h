#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "catena/cuda/memory_pool.h"

// GPU memory.
namespace catena::cuda {

// The pool for all allocations on the device. Lives as long as the process.
// Throws DeviceError when the GPU does not exist.
MemoryPool& memory_pool(int device);

// Returns the cached memory of all devices to the driver.
void free_all_blocks() noexcept;

// Records that an array's memory is used on a stream other than the one that
// was current when it was allocated: it is not reused before that work is done.
// Throws ValueError when the memory is not from the pool.
void record_use(const void* data, int device, cudaStream_t stream);

// Owns memory from the device's pool for one stream, such as the workspace of a
// call. Movable.
class Memory {
 public:
  // For `stream`, by default the device's current one. A size of 0 gives a null
  // pointer. Throws OutOfMemoryError; ValueError when negative.
  Memory(int64_t size, int device);
  Memory(int64_t size, int device, cudaStream_t stream);
  ~Memory();
  Memory(Memory&& other) noexcept;
  Memory& operator=(Memory&& other) noexcept;

  void* ptr() const { return data_; }
  int64_t size() const { return size_; }
  int device() const { return device_; }

  // Sets all bytes, on the stream.
  void memset_async(int value, cudaStream_t stream) const;

 private:
  void* data_ = nullptr;
  int64_t size_ = 0;
  int device_ = 0;
};

namespace internal {

// Memory of a pool, which its owner frees.
struct PoolSegment {
  std::shared_ptr<void> owner;
  void* data;
};
using SegmentAllocator = std::function<PoolSegment(int device, int64_t bytes)>;
// Sets where the pools take their memory from, by default cudaMalloc.
void set_segment_allocator(SegmentAllocator allocator);

}  // namespace internal

// Copies between any two addresses, on device or host, in the order of a stream
// of `device`. Host memory must stay valid until the copy is done.
void copy_async(void* to, const void* from, int64_t bytes, int device,
                cudaStream_t stream);

}  // namespace catena::cuda
