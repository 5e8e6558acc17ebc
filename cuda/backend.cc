// Installs CUDA's MemoryBackend (array/device.h) when it is linked.

#include <cuda_runtime_api.h>

#include <cstring>
#include <string>
#include <utility>

#include "catena/array/device.h"
#include "catena/array/error.h"
#include "catena/cuda/device.h"
#include "catena/cuda/device_memory.h"
#include "catena/cuda/error.h"
#include "catena/cuda/event.h"
#include "catena/cuda/pinned_memory.h"
#include "catena/cuda/stream.h"

namespace catena::cuda {
namespace {

// Up to this size, copying to page-locked memory and returning at once is
// faster than waiting for the transfer.
constexpr int64_t kMaxStaged = 1 << 20;

int count_devices() { return device_count(); }

void* allocate(Device device, int64_t bytes) {
  return memory_pool(device.index())
      .allocate(bytes, current_stream(device.index()));
}

void deallocate(Device device, void* data, int64_t /*bytes*/) noexcept {
  memory_pool(device.index()).deallocate(data, current_stream(device.index()));
}

void wait_for_stream(int device, cudaStream_t stream) {
  const DeviceGuard guard(device);
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

void copy_from_host(void* to, int device, const void* from, int64_t bytes) {
  const cudaStream_t stream = current_stream(device);
  if (bytes > kMaxStaged) {
    // From pageable memory the runtime may, but need not, wait.
    copy_async(to, from, bytes, device, stream);
    wait_for_stream(device, stream);
    return;
  }
  PinnedMemory staging(bytes);
  std::memcpy(staging.ptr(), from, static_cast<size_t>(bytes));
  Event copied({.device = device, .disable_timing = true});
  copy_async(to, staging.ptr(), bytes, device, stream);
  copied.record(stream);
  staging.free_after(std::move(copied));
}

void copy_to_host(void* to, const void* from, int device, int64_t bytes) {
  const cudaStream_t stream = current_stream(device);
  copy_async(to, from, bytes, device, stream);
  wait_for_stream(device, stream);
}

// The streams wait for each other, since earlier work may still write the
// source or read the target's memory.
void copy_between_devices(void* to, int to_device, const void* from,
                          int from_device, int64_t bytes) {
  const cudaStream_t to_stream = current_stream(to_device);
  const cudaStream_t from_stream = current_stream(from_device);
  order_after(to_device, to_stream, from_device, from_stream);
  {
    const DeviceGuard guard(to_device);
    check(cudaMemcpyPeerAsync(to, to_device, from, from_device,
                              static_cast<size_t>(bytes), to_stream),
          "cudaMemcpyPeerAsync");
  }
  order_after(from_device, from_stream, to_device, to_stream);
}

void copy(void* to, Device to_device, const void* from, Device from_device,
          int64_t bytes) {
  if (bytes == 0) return;
  if (from_device.is_native()) {
    copy_from_host(to, to_device.index(), from, bytes);
  } else if (to_device.is_native()) {
    copy_to_host(to, from, from_device.index(), bytes);
  } else if (to_device == from_device) {
    const int device = to_device.index();
    copy_async(to, from, bytes, device, current_stream(device));
  } else {
    copy_between_devices(to, to_device.index(), from, from_device.index(),
                         bytes);
  }
}

void synchronize_device(Device device) { synchronize(device.index()); }

std::string describe(Device device) {
  const DeviceProperties& found = properties(device.index());
  return str(found.name, " (compute capability ", found.major, ".", found.minor,
             ", ", found.memory_bytes >> 30, " GiB)");
}

constexpr MemoryBackend kMemory = {
    count_devices, allocate, deallocate, copy, synchronize_device, describe};

[[maybe_unused]] const bool installed = [] {
  set_memory_backend(Backend::kCuda, &kMemory);
  return true;
}();

}  // namespace
}  // namespace catena::cuda
