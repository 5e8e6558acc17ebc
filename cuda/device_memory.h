#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "catena/cuda/memory_pool.h"

// Memory of the GPUs.
namespace catena::cuda {

// The pool from which everything on the device is allocated. It lives as long
// as the process. DeviceError when there is no such GPU.
MemoryPool& memory_pool(int device);

// Gives cached memory of every device back to the driver.
void free_all_blocks() noexcept;

// Notes that the memory of an array is used on a stream which is not the one
// that was current when it was allocated: it is not handed out again before
// that work is done. ValueError when the memory is not the pool's.
void record_use(const void* data, int device, cudaStream_t stream);

// Bytes of the device's pool for one stream, freed with the object: what
// kernels need for the duration of a call. Movable.
class Memory {
 public:
  // For the stream, or for the device's current one. A size of 0 gives a null
  // pointer. OutOfMemoryError; ValueError when negative.
  Memory(int64_t size, int device);
  Memory(int64_t size, int device, cudaStream_t stream);
  ~Memory();
  Memory(Memory&& other) noexcept;
  Memory& operator=(Memory&& other) noexcept;

  void* ptr() const { return data_; }
  int64_t size() const { return size_; }
  int device() const { return device_; }

  // Sets every byte, on the stream.
  void memset_async(int value, cudaStream_t stream) const;

 private:
  void* data_ = nullptr;
  int64_t size_ = 0;
  int device_ = 0;
};

// Bytes between any two places, device or host, in the order of the stream,
// which is of `device`. The host's bytes must stay until the copy is done.
void copy_async(void* to, const void* from, int64_t bytes, int device,
                cudaStream_t stream);

}  // namespace catena::cuda
