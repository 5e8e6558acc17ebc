#pragma once

// CUDA's kernels that update or sum many arrays in one launch.

#include <bit>
#include <cstdint>
#include <span>

#include "catena/array/core/device.h"
#include "catena/array/core/dtype.h"
#include "catena/array/core/error.h"
#include "catena/array/cuda/block_combine.cuh"
#include "catena/array/cuda/update_params.h"
#include "catena/array/cuda/update_steps.cuh"
#include "catena/cuda/device_memory.h"
#include "catena/cuda/launch.h"
#include "catena/cuda/launch_shape.h"

namespace catena::kernels::CATENA_BACKEND {

template <class Op, int kInputs, class... Ts>
__global__ void __launch_bounds__(catena::cuda::kBlockThreads)
    update_many(Op op, catena::cuda::UpdateParams params, const Op* written,
                const double* gate) {
  if (gate != nullptr && *gate == 0) return;
  UpdateSteps<Op, kInputs, Ts...>::run(op, params, written);
}

// As optimizers::MakeFunctorsFn says.
template <class Recipe>
__global__ void __launch_bounds__(catena::cuda::kBlockThreads)
    make_functors(const Recipe* recipes, int64_t count, const double* skipped,
                  typename Recipe::Functor* functors) {
  for (int64_t i = threadIdx.x; i < count; i += blockDim.x) {
    functors[i] = recipes[i].functor(recipes[i].t - *skipped);
  }
}

template <class Recipe>
void run_make_functors(Device device, int64_t count, const void* recipes,
                       const double* skipped, void* functors) {
  catena::cuda::launch(&make_functors<Recipe>, 1, catena::cuda::kBlockThreads,
                       device.index(), static_cast<const Recipe*>(recipes),
                       count, skipped,
                       static_cast<typename Recipe::Functor*>(functors));
}

// Types are those of the operands.
template <class Op, int kInputs, class Types>
class UpdateMany;

template <class Op, int kInputs, class... Ts>
class UpdateMany<Op, kInputs, TypeList<Ts...>> {
 public:
  // As optimizers::UpdateManyFn says.
  static void run(Device device, std::span<const int64_t> sizes,
                  std::span<char* const> data, const void* op,
                  const void* written, const double* gate) {
    static_assert(sizeof...(Ts) <= catena::cuda::UpdateParams::kOperands);
    using Steps = UpdateSteps<Op, kInputs, Ts...>;
    const void* kernel =
        catena::cuda::kernel_address(&update_many<Op, kInputs, Ts...>);
    const int index = device.index();
    auto functors = static_cast<const Op*>(written);
    catena::cuda::visit_updates(
        sizes, data, Steps::kPack * Steps::kUnroll,
        catena::cuda::resident_blocks(kernel, catena::cuda::kBlockThreads,
                                      index),
        [&](const catena::cuda::UpdateParams& params, int blocks) {
          void* arguments[] = {const_cast<void*>(op),
                               const_cast<catena::cuda::UpdateParams*>(&params),
                               &functors, &gate};
          const auto launch = [&] {
            catena::cuda::launch(kernel, blocks, catena::cuda::kBlockThreads,
                                 arguments, index);
          };
          // What others have changed by then can't be taken back, so that one
          // that is refused gets a second chance.
          try {
            launch();
          } catch (const Error&) {
            launch();
          }
          if (functors != nullptr) functors += params.count;
        });
  }
};

// Combines the states of a block's threads; the first thread writes the result.
template <class Op, class State>
__device__ __forceinline__ void combine_block(State state, State* result) {
  __shared__ State shared[catena::cuda::kBlockThreads / 32];
  constexpr int kLogLanes =
      std::countr_zero(unsigned{catena::cuda::kBlockThreads});
  state = catena::cuda::combine_neighbours(
      state, kLogLanes, shared,
      [](State a, State b) { return Op::combine(a, b); });
  if (threadIdx.x == 0) *result = state;
}

// A state for each block: Op is a sum of array/reduction_ops.h.
template <class Op, class T>
__global__ void __launch_bounds__(catena::cuda::kBlockThreads)
    sum_many(catena::cuda::UpdateParams params, double* states) {
  using Steps = SumSteps<Op, T>;
  combine_block<Op>(Steps::run(params), states + blockIdx.x);
}

template <class Op>
__global__ void __launch_bounds__(catena::cuda::kBlockThreads)
    combine_states(const double* states, int64_t count, double* result) {
  double sum = 0;
  for (int64_t i = threadIdx.x; i < count; i += blockDim.x) {
    sum = Op::combine(sum, states[i]);
  }
  combine_block<Op>(sum, result);
}

template <class Op, class T>
class SumMany {
 public:
  // As optimizers::SumManyFn says.
  static void run(Device device, std::span<const int64_t> sizes,
                  std::span<char* const> data, double* result) {
    const int index = device.index();
    const int64_t resident = catena::cuda::resident_blocks(
        &sum_many<Op, T>, catena::cuda::kBlockThreads, index);
    const auto visit = [&](auto launch) {
      catena::cuda::visit_updates(
          sizes, data, SumSteps<Op, T>::kPack * SumSteps<Op, T>::kUnroll,
          resident, launch);
    };
    int64_t count = 0;
    visit([&](const auto&, int blocks) { count += blocks; });
    // Freed before the kernels have run: only later work on the same stream can
    // reuse it.
    const catena::cuda::Memory states(
        count * static_cast<int64_t>(sizeof(double)), index);
    const auto first = static_cast<double*>(states.ptr());
    double* next = first;
    visit([&](const catena::cuda::UpdateParams& params, int blocks) {
      catena::cuda::launch(sum_many<Op, T>, blocks, catena::cuda::kBlockThreads,
                           index, params, next);
      next += blocks;
    });
    catena::cuda::launch(combine_states<Op>, 1, catena::cuda::kBlockThreads,
                         index, first, count, result);
  }
};

}  // namespace catena::kernels::CATENA_BACKEND
