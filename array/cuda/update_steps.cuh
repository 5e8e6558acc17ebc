#pragma once

// The per-thread code of an update of many arrays: applies op(in..., inout&...)
// to one pack of elements at a time.

#include <cstdint>
#include <utility>

#include "catena/array/cuda/element.cuh"
#include "catena/array/cuda/update_params.h"

namespace catena::kernels::CATENA_BACKEND {

// All operands are of type T; the first kInputs are not modified.
template <class Op, class T, int kInputs, int kOperands>
class UpdateSteps {
 public:
  static constexpr int kPack = 16 / (sizeof(T) < 2 ? 2 : sizeof(T));

  // `captured`, if not null, has a functor for each array.
  static __device__ __forceinline__ void run(
      Op op, const catena::cuda::UpdateParams& params, const Op* captured) {
    const int block = static_cast<int>(blockIdx.x);
    int array = 0;
    while (block >= params.first_blocks[array + 1]) ++array;
    if (captured != nullptr) op = captured[array];
    const int first = params.first_blocks[array];
    const int64_t thread = int64_t{block - first} * blockDim.x + threadIdx.x;
    const int64_t threads =
        int64_t{params.first_blocks[array + 1] - first} * blockDim.x;
    const int64_t packs = params.sizes[array] / kPack;
    for (int64_t i = thread; i < packs; i += threads) {
      step<kPack>(op, params.data[array], i, Indexes());
    }
    const int64_t rest = packs * kPack + thread;
    if (rest < params.sizes[array]) {
      step<1>(op, params.data[array], rest, Indexes());
    }
  }

 private:
  using Indexes = std::make_integer_sequence<int, kOperands>;

  // Processes kSize elements from kSize * i on.
  template <int kSize, int... k>
  static __device__ __forceinline__ void step(
      const Op& op, char* const* data, int64_t i,
      std::integer_sequence<int, k...>) {
    using Pack = catena::cuda::Pack<T, kSize>;
    Pack packs[kOperands] = {reinterpret_cast<const Pack*>(data[k])[i]...};
#pragma unroll
    for (int j = 0; j < kSize; ++j) {
      catena::cuda::Compute<T> values[kOperands] = {
          catena::cuda::widen(packs[k].elements[j])...};
      op(values[k]...);
      ((packs[k].elements[j] = catena::cuda::narrow<T>(values[k])), ...);
    }
    ((k >= kInputs ? void(reinterpret_cast<Pack*>(data[k])[i] = packs[k])
                   : void()),
     ...);
  }
};

}  // namespace catena::kernels::CATENA_BACKEND
