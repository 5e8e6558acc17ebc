#pragma once

// CUDA's reduction kernels: the same functors as the CPU's ReductionLoop.

#include "catena/array/cuda/reduction_launch.h"
#include "catena/array/cuda/reduction_params.h"
#include "catena/array/cuda/reduction_steps.cuh"
#include "catena/array/reduction.h"
#include "catena/cuda/launch.h"
#include "catena/cuda/launch_shape.h"

namespace catena::kernels::CATENA_BACKEND {

template <class Op, class T>
__global__ void __launch_bounds__(catena::cuda::kBlockThreads)
    reduce_elements(catena::cuda::ReductionParams params) {
  using State = typename ReductionSteps<Op, T>::State;
  __shared__ State shared[catena::cuda::kBlockThreads];
  ReductionSteps<Op, T>::reduce(params, shared);
}

template <class Op, class T>
__global__ void __launch_bounds__(catena::cuda::kBlockThreads)
    combine_reduction_splits(catena::cuda::ReductionParams params) {
  using State = typename ReductionSteps<Op, T>::State;
  __shared__ State shared[catena::cuda::kBlockThreads];
  ReductionSteps<Op, T>::combine_splits(params, shared);
}

template <class Op, class T>
class ReductionLoop {
 public:
  // The kernel as the slot's table holds it.
  static void run(const ReduceArgs& args) {
    catena::cuda::launch_reduction(
        args, {catena::cuda::kernel_address(&reduce_elements<Op, T>),
               catena::cuda::kernel_address(&combine_reduction_splits<Op, T>),
               sizeof(typename ReductionSteps<Op, T>::State)});
  }
};

}  // namespace catena::kernels::CATENA_BACKEND
