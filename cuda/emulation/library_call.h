#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <initializer_list>

#include "catena/cuda/emulation/memory.h"
#include "cuda_runtime_api.h"

// Shared by the emulated libraries.
namespace catena::cuda::emulation {

// The device of a null stream.
inline int current_device_index() {
  int device = 0;
  static_cast<void>(cudaGetDevice(&device));
  return device;
}

// Whether work of a device can reach all the addresses: not null and not in
// pageable memory of the host.
inline bool are_reachable(std::initializer_list<const void*> addresses) {
  return std::all_of(addresses.begin(), addresses.end(),
                     [](const void* address) {
                       return address != nullptr &&
                              (device_of(address) >= 0 || is_pinned(address));
                     });
}

// NVIDIA's libraries contain a CUDA runtime of their own, so that their
// failures are not the last error of the program's.
inline bool succeeded(cudaError_t status) {
  if (status != cudaSuccess) static_cast<void>(cudaGetLastError());
  return status == cudaSuccess;
}

// Writes to both ends of a workspace, so that nothing else can keep data there
// and a workspace that ended too early is noticed.
inline void scribble(void* workspace, size_t bytes) {
  constexpr size_t kEnd = 4096;
  constexpr int kGarbage = 0xcd;
  const size_t size = std::min(bytes, kEnd);
  if (size == 0) return;
  auto* const begin = static_cast<char*>(workspace);
  std::memset(begin, kGarbage, size);
  std::memset(begin + (bytes - size), kGarbage, size);
}

}  // namespace catena::cuda::emulation
