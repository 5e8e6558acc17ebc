#include "catena/cuda/launch.h"
#include "catena/cuda/testing/sample_kernel.h"

namespace catena::cuda {
namespace {

__global__ void __launch_bounds__(1024) add_one(int* data) {
  data[int64_t{blockIdx.x} * blockDim.x + threadIdx.x] += 1;
}

}  // namespace

const void* sample_kernel() { return kernel_address(add_one); }

}  // namespace catena::cuda
