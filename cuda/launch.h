#pragma once

#include <cstdint>
#include <type_traits>

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
// arguments, as for cudaLaunchKernel. Throws CudaError, ShapeError if there are
// more blocks than a grid can have (2^31 - 1).
void launch(const void* kernel, int64_t blocks, int threads, void** params,
            int device);

// The same, with the arguments themselves.
template <class... Params>
void launch(void (*kernel)(Params...), int64_t blocks, int threads, int device,
            std::type_identity_t<Params>... params) {
  void* pointers[] = {&params...};
  launch(kernel_address(kernel), blocks, threads, pointers, device);
}

}  // namespace catena::cuda
