#include "catena/cuda/launch.h"

#include <cuda_runtime_api.h>

#include <limits>

#include "catena/array/error.h"
#include "catena/cuda/device.h"
#include "catena/cuda/error.h"
#include "catena/cuda/stream.h"

namespace catena::cuda {

void launch(const void* kernel, int64_t blocks, int threads, void** params,
            int device) {
  constexpr int64_t kMaxBlocks = std::numeric_limits<int32_t>::max();
  if (blocks > kMaxBlocks) {
    raise<ShapeError>("CUDA: expected at most ", kMaxBlocks,
                      " blocks in a launch, got ", blocks);
  }
  const DeviceGuard guard(device);
  check(cudaLaunchKernel(kernel, dim3(static_cast<unsigned>(blocks)),
                         dim3(static_cast<unsigned>(threads)), params,
                         /*sharedMem=*/0, current_stream(device)),
        "cudaLaunchKernel");
}

}  // namespace catena::cuda
