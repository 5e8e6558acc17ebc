#pragma once

// CUDA's elementwise kernels: the same functors as the CPU's ElementwiseLoop
// (array/cpu/elementwise_loop.h).

#include <type_traits>

#include "catena/array/cuda/elementwise_launch.h"
#include "catena/array/cuda/elementwise_params.h"
#include "catena/array/cuda/elementwise_steps.cuh"
#include "catena/array/kernels/elementwise_args.h"
#include "catena/cuda/launch.h"
#include "catena/cuda/launch_shape.h"
#include "catena/cuda/record_params.h"

namespace catena::kernels::CATENA_BACKEND {

template <class Op, class In, class Out>
__global__ void __launch_bounds__(catena::cuda::kBlockThreads)
    elementwise_flat(Op op, catena::cuda::FlatParams params) {
  ElementwiseSteps<Op, In, Out>::run_flat(op, params);
}

template <class Op, class In, class Out>
__global__ void __launch_bounds__(catena::cuda::kBlockThreads)
    elementwise_strided(Op op, catena::cuda::StridedParams params) {
  ElementwiseSteps<Op, In, Out>::run_strided(op, params);
}

template <class Op, class In, class Out>
class ElementwiseLoop {
 public:
  // The kernel as the slot's table holds it.
  static void run(const ElementwiseArgs& args) {
    static_assert(std::is_trivially_copyable_v<Op>,
                  "a functor travels to the device byte by byte");
    catena::cuda::record_params(*static_cast<const Op*>(args.op));
    catena::cuda::launch_elementwise(
        args, {catena::cuda::kernel_address(&elementwise_flat<Op, In, Out>),
               catena::cuda::kernel_address(&elementwise_strided<Op, In, Out>),
               ElementwiseSteps<Op, In, Out>::kTypes});
  }
};

}  // namespace catena::kernels::CATENA_BACKEND
