#pragma once

#include <cstdint>

namespace catena::cuda {

// Launches a kernel on the device's current stream. `params` point to its
// arguments, as for cudaLaunchKernel. Throws CudaError.
void launch(const void* kernel, int64_t blocks, int threads, void** params,
            int device);

}  // namespace catena::cuda
