#pragma once

#include <cstdint>
#include <type_traits>

#include "catena/cuda/launch.h"
#include "catena/cuda/launch_shape.h"

// Kernels with grid-stride loops:
//
//   __global__ void __launch_bounds__(kBlockThreads) fill(T* out, int64_t n) {
//     for (int64_t i = first_item(); i < n; i += item_step()) out[i] = 0;
//   }
//   launch_over(fill<T>, n, device, out, n);
namespace catena::cuda {

__device__ inline int64_t first_item() {
  return int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
}
__device__ inline int64_t item_step() {
  return int64_t{gridDim.x} * blockDim.x;
}

// One thread per item, up to as many as fit the device at once.
template <class... Params>
void launch_over(void (*kernel)(Params...), int64_t items, int device,
                 std::type_identity_t<Params>... params) {
  if (items == 0) return;
  const int64_t resident = resident_blocks(kernel, kBlockThreads, device);
  launch(kernel, loop_blocks(items, 1, resident), kBlockThreads, device,
         params...);
}

}  // namespace catena::cuda
