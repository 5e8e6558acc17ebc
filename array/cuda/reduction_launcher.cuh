#pragma once

// CUDA's reduction kernels: the same functors as the CPU's ReductionLoop.

#include "catena/array/cuda/reduction_launch.h"
#include "catena/array/cuda/reduction_params.h"
#include "catena/array/cuda/reduction_steps.cuh"
#include "catena/array/kernels/reduction_args.h"
#include "catena/cuda/launch.h"
#include "catena/cuda/launch_shape.h"

namespace catena::kernels::CATENA_BACKEND {

template <class Op, class T>
__global__ void __launch_bounds__(catena::cuda::kBlockThreads)
    reduce_elements(catena::cuda::ReductionParams params) {
  using Steps = ReductionSteps<Op, T>;
  __shared__ typename Steps::State shared[catena::cuda::kBlockThreads];
  Steps::template reduce<1, false>(params, shared);
}

template <class Op, class T>
__global__ void __launch_bounds__(catena::cuda::kBlockThreads)
    reduce_row_packs(catena::cuda::ReductionParams params) {
  using Steps = ReductionSteps<Op, T>;
  __shared__ typename Steps::State shared[catena::cuda::kBlockThreads];
  Steps::template reduce<Steps::kTypes.row_pack, false>(params, shared);
}

template <class Op, class T>
__global__ void __launch_bounds__(catena::cuda::kBlockThreads)
    reduce_column_packs(catena::cuda::ReductionParams params) {
  using Steps = ReductionSteps<Op, T>;
  constexpr int kPack = Steps::kTypes.column_pack;
  __shared__ typename Steps::State shared[catena::cuda::kBlockThreads * kPack];
  Steps::template reduce<kPack, true>(params, shared);
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
    using catena::cuda::kernel_address;
    constexpr catena::cuda::ReductionTypes kTypes =
        ReductionSteps<Op, T>::kTypes;
    catena::cuda::ReductionKernels kernels{
        .types = kTypes,
        .elements = kernel_address(&reduce_elements<Op, T>),
        .combine_splits = kernel_address(&combine_reduction_splits<Op, T>),
        .state_size = sizeof(typename ReductionSteps<Op, T>::State)};
    if constexpr (kTypes.row_pack > 1) {
      kernels.row_packs = kernel_address(&reduce_row_packs<Op, T>);
    }
    if constexpr (kTypes.column_pack > 1) {
      kernels.column_packs = kernel_address(&reduce_column_packs<Op, T>);
    }
    catena::cuda::launch_reduction(args, kernels);
  }
};

}  // namespace catena::kernels::CATENA_BACKEND
