#pragma once

#include <cstdint>
#include <type_traits>

#include "catena/cuda/record_params.h"

namespace catena::cuda {

// The kernel as the runtime knows it.
template <class... Params>
const void* kernel_address(void (*kernel)(Params...)) {
#ifdef CATENA_EMULATED_CUDA
  return emulation::kernel_address(kernel);
#else
  return reinterpret_cast<const void*>(kernel);
#endif
}

// Launches a kernel on the device's current stream. `params` point to its
// arguments, as for cudaLaunchKernel; the caller records them
// (record_params.h). Throws CudaError, ShapeError when there are more blocks
// than a grid can have (2^31 - 1).
void launch(const void* kernel, int64_t blocks, int threads, void** params,
            int device);

// The same, with the arguments themselves, which it records.
template <class... Params>
void launch(void (*kernel)(Params...), int64_t blocks, int threads, int device,
            std::type_identity_t<Params>... params) {
  record_params(params...);
  void* pointers[] = {&params...};
  launch(kernel_address(kernel), blocks, threads, pointers, device);
}

// The number of blocks of so many threads of the kernel that the device runs at
// once, at least 1: what the driver says of its registers and its shared
// memory. It is asked once per kernel, number of threads and device. Throws
// CudaError.
int64_t resident_blocks(const void* kernel, int threads, int device);
template <class... Params>
int64_t resident_blocks(void (*kernel)(Params...), int threads, int device) {
  return resident_blocks(kernel_address(kernel), threads, device);
}

}  // namespace catena::cuda
