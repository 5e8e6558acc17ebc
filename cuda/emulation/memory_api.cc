// cuda_runtime_api.h: memory and copies.
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "catena/cuda/emulation/devices.h"
#include "catena/cuda/emulation/faults.h"
#include "catena/cuda/emulation/memory.h"
#include "catena/cuda/emulation/runtime.h"
#include "cuda_runtime_api.h"

using namespace catena::cuda::emulation;  // NOLINT

// What the driver stages from pageable memory without waiting.
constexpr size_t kMaxStagedByDriver = 64 << 10;

cudaError_t cudaMalloc(void** data, size_t bytes) {
  if (is_to_fail()) return set_last(cudaErrorMemoryAllocation);
  return guarded([&](Devices& devices) {
    *data = nullptr;
    if (bytes == 0) return cudaSuccess;
    if (devices.failing_allocation.strikes()) {
      return cudaErrorMemoryAllocation;
    }
    *data = allocate_device_memory(current_device, bytes);
    return *data != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
  });
}

cudaError_t cudaMallocManaged(void** data, size_t bytes, unsigned flags) {
  if (is_to_fail()) return set_last(cudaErrorMemoryAllocation);
  if (flags != cudaMemAttachGlobal || bytes == 0) {
    return set_last(cudaErrorInvalidValue);
  }
  return guarded([&](Devices& devices) {
    *data = nullptr;
    if (devices.failing_allocation.strikes()) {
      return cudaErrorMemoryAllocation;
    }
    *data = allocate_managed_memory(bytes);
    return *data != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
  });
}

cudaError_t cudaFree(void* data) {
  if (data == nullptr) return cudaSuccess;
  const cudaError_t status = guarded([&](Devices& devices) {
    if (is_managed(data)) {
      devices.wait_for_all_devices();
      return free_managed_memory(data) ? cudaSuccess : cudaErrorInvalidValue;
    }
    const int device = device_of(data);
    if (device < 0) return cudaErrorInvalidValue;
    ++devices.host_waits;
    devices.wait_for_device(device);
    return free_device_memory(data) ? cudaSuccess : cudaErrorInvalidValue;
  });
  return set_last(reported(status, cudaErrorInvalidValue));
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  if (is_to_fail()) return set_last(cudaErrorInvalidValue);
  *total = kDeviceMemory;
  *free = kDeviceMemory - used_device_memory(current_device);
  return cudaSuccess;
}

cudaError_t cudaHostAlloc(void** data, size_t bytes, unsigned /*flags*/) {
  if (is_to_fail()) return set_last(cudaErrorMemoryAllocation);
  *data = allocate_pinned_memory(bytes);
  return set_last(*data != nullptr ? cudaSuccess : cudaErrorMemoryAllocation);
}
cudaError_t cudaFreeHost(void* data) {
  if (data == nullptr) return cudaSuccess;
  const cudaError_t status = guarded([&](Devices& devices) {
    // NVIDIA does not promise that it waits for the work that uses it.
    ++devices.host_waits;
    return free_pinned_memory(data) ? cudaSuccess : cudaErrorInvalidValue;
  });
  return set_last(reported(status, cudaErrorInvalidValue));
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes,
                                     const void* data) {
  if (is_to_fail()) return set_last(cudaErrorInvalidValue);
  *attributes = {};
  const int device = device_of(data);
  attributes->device = std::max(device, 0);
  attributes->type = device >= 0        ? cudaMemoryTypeDevice
                     : is_managed(data) ? cudaMemoryTypeManaged
                     : is_pinned(data)  ? cudaMemoryTypeHost
                                        : cudaMemoryTypeUnregistered;
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes,
                            cudaMemcpyKind kind, cudaStream_t stream) {
  if (is_to_fail()) return set_last(cudaErrorInvalidValue);
  if (kind != cudaMemcpyDefault) return set_last(cudaErrorInvalidValue);
  return guarded_on(stream, [&](Devices& devices, CUstream_st& target) {
    const int to_device = device_of(to);
    const int from_device = device_of(from);
    unsigned open = 1u << target.device;
    if (to_device >= 0) open |= 1u << to_device;
    if (from_device >= 0) open |= 1u << from_device;
    const bool captures = target.capture != nullptr;
    if (from_device < 0 && !is_pinned(from) && !captures) {
      // From pageable memory the bytes are read before the call returns, for
      // which the stream's earlier work must be done if they are many.
      if (bytes > kMaxStagedByDriver) ++devices.host_waits;
      auto staged = std::make_shared<std::vector<char>>(bytes);
      std::memcpy(staged->data(), from, bytes);
      return devices.submit(
          target,
          [to, staged] { std::memcpy(to, staged->data(), staged->size()); },
          open);
    }
    const cudaError_t status = devices.submit(
        target, [=] { std::memmove(to, from, bytes); }, open);
    // To pageable memory the call returns when the bytes are there.
    if (status == cudaSuccess && to_device < 0 && !is_pinned(to) && !captures) {
      ++devices.host_waits;
      devices.wait(target.last);
    }
    return status;
  });
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes,
                       cudaMemcpyKind kind) {
  const cudaError_t status = cudaMemcpyAsync(to, from, bytes, kind, nullptr);
  return status == cudaSuccess ? cudaStreamSynchronize(nullptr) : status;
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from,
                                int from_device, size_t bytes,
                                cudaStream_t stream) {
  if (is_to_fail()) return set_last(cudaErrorInvalidValue);
  if (device_of(to) != to_device || device_of(from) != from_device) {
    return set_last(cudaErrorInvalidValue);
  }
  {
    Devices& devices = Devices::get();
    const auto lock = devices.lock();
    if (!devices.are_peers(to_device, from_device)) ++devices.staged_copies;
  }
  return submit(stream, [=] { std::memmove(to, from, bytes); },
                {to_device, from_device});
}

cudaError_t cudaMemsetAsync(void* data, int value, size_t bytes,
                            cudaStream_t stream) {
  if (is_to_fail()) return set_last(cudaErrorInvalidValue);
  const int device = device_of(data);
  if (device < 0 && !is_pinned(data)) return set_last(cudaErrorInvalidValue);
  return submit(stream, [=] { std::memset(data, value, bytes); },
                {std::max(device, 0)});
}
