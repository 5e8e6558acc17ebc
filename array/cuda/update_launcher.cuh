#pragma once

// CUDA's kernels that update many arrays in one launch.

#include <cstdint>
#include <span>

#include "catena/array/cuda/update_params.h"
#include "catena/array/cuda/update_steps.cuh"
#include "catena/array/device.h"
#include "catena/cuda/device.h"
#include "catena/cuda/launch.h"
#include "catena/cuda/launch_shape.h"

namespace catena::kernels::CATENA_BACKEND {

template <class Op, class T, int kInputs, int kOperands>
__global__ void __launch_bounds__(catena::cuda::kBlockThreads)
    update_many(Op op, catena::cuda::UpdateParams params, const Op* captured) {
  UpdateSteps<Op, T, kInputs, kOperands>::run(op, params, captured);
}

template <class Op, class T, int kInputs, int kOperands>
class UpdateMany {
 public:
  // As optimizers::UpdateManyFn says.
  static void run(Device device, std::span<const int64_t> sizes,
                  std::span<char* const> data, const void* op,
                  const void* captured) {
    static_assert(kOperands <= catena::cuda::UpdateParams::kOperands);
    const void* kernel =
        catena::cuda::kernel_address(&update_many<Op, T, kInputs, kOperands>);
    const int index = device.index();
    auto functors = static_cast<const Op*>(captured);
    catena::cuda::visit_updates(
        sizes, data, UpdateSteps<Op, T, kInputs, kOperands>::kPack,
        catena::cuda::properties(index).multiprocessors,
        [&](const catena::cuda::UpdateParams& params, int blocks) {
          void* arguments[] = {const_cast<void*>(op),
                               const_cast<catena::cuda::UpdateParams*>(&params),
                               &functors};
          catena::cuda::launch(kernel, blocks, catena::cuda::kBlockThreads,
                               arguments, index);
          if (functors != nullptr) functors += params.count;
        });
  }
};

}  // namespace catena::kernels::CATENA_BACKEND
