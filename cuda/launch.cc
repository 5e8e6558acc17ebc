#include "catena/cuda/launch.h"

#include <cuda_runtime_api.h>

#include "catena/cuda/device.h"
#include "catena/cuda/error.h"
#include "catena/cuda/stream.h"

namespace catena::cuda {

void launch(const void* kernel, int64_t blocks, int threads, void** params,
            int device) {
  const DeviceGuard guard(device);
  check(cudaLaunchKernel(kernel, dim3(static_cast<unsigned>(blocks)),
                         dim3(static_cast<unsigned>(threads)), params,
                         /*sharedMem=*/0, current_stream(device)),
        "cudaLaunchKernel");
}

}  // namespace catena::cuda
