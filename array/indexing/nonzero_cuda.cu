// CUDA's kernel behind nonzero (array/indexing/nonzero_kernel.h).

#include <cuda_runtime_api.h>
#include <thrust/iterator/counting_iterator.h>

#include <cstdint>
#include <cub/device/device_select.cuh>

#include "catena/array/indexing/nonzero_kernel.h"
#include "catena/array/kernels/kernel_definition.h"
#include "catena/cuda/device.h"
#include "catena/cuda/device_memory.h"
#include "catena/cuda/error.h"
#include "catena/cuda/stream.h"

namespace catena::kernels::CATENA_BACKEND {
namespace {

using catena::cuda::Memory;

void nonzero(Device device, const bool* flags, int64_t size,
             int64_t* positions) {
  const int gpu = device.index();
  const catena::cuda::DeviceGuard guard(gpu);
  const Memory count(sizeof(int64_t), gpu);
  const auto select = [&](void* scratch, size_t& scratch_bytes) {
    catena::cuda::check(
        cub::DeviceSelect::Flagged(
            scratch, scratch_bytes, thrust::counting_iterator<int64_t>(0),
            flags, positions, static_cast<int64_t*>(count.ptr()), size,
            catena::cuda::current_stream(gpu)),
        "cub::DeviceSelect::Flagged");
  };
  size_t scratch_bytes = 0;
  select(nullptr, scratch_bytes);
  const Memory scratch(static_cast<int64_t>(scratch_bytes), gpu);
  select(scratch.ptr(), scratch_bytes);
}

}  // namespace

template <>
constinit const NonzeroKernel Kernels<NonzeroKernel>::table = {nonzero};

extern const auto kNonzeroKernels = register_kernels<NonzeroKernel>();

}  // namespace catena::kernels::CATENA_BACKEND
