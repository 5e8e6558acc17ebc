#pragma once

// The per-thread code of an update of many arrays, which applies
// op(in..., inout&...) to one pack of elements at a time, and of sums over many
// arrays.

#include <algorithm>
#include <cstdint>
#include <utility>

#include "catena/array/cuda/element.cuh"
#include "catena/array/cuda/update_params.h"

namespace catena::kernels::CATENA_BACKEND {

// The array whose elements a block processes.
__device__ __forceinline__ int array_of_block(
    const catena::cuda::UpdateParams& params) {
  const int block = static_cast<int>(blockIdx.x);
  int array = 0;
  while (block >= params.first_blocks[array + 1]) ++array;
  return array;
}

// Ts are the operands' types; the first kInputs are not modified.
template <class Op, int kInputs, class... Ts>
class UpdateSteps {
 public:
  static constexpr int kPack = static_cast<int>(16 / std::max({sizeof(Ts)...}));

  // `written`, if not null, has a functor for each array.
  static __device__ __forceinline__ void run(
      Op op, const catena::cuda::UpdateParams& params, const Op* written) {
    const int block = static_cast<int>(blockIdx.x);
    const int array = array_of_block(params);
    if (written != nullptr) op = written[array];
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
  using Indexes = std::make_integer_sequence<int, sizeof...(Ts)>;

  // Processes kSize elements from kSize * i on.
  template <int kSize, int... k>
  static __device__ __forceinline__ void step(
      const Op& op, char* const* data, int64_t i,
      std::integer_sequence<int, k...> indexes) {
    step(op, data, i, indexes,
         catena::cuda::load_pack<kSize>(reinterpret_cast<const Ts*>(data[k]) +
                                        i * kSize)...);
  }
  template <int kSize, int... k>
  static __device__ __forceinline__ void step(
      const Op& op, char* const* data, int64_t i,
      std::integer_sequence<int, k...>,
      catena::cuda::Pack<Ts, kSize>... packs) {
#pragma unroll
    for (int j = 0; j < kSize; ++j) {
      apply(op, packs.elements[j]...,
            catena::cuda::widen(packs.elements[j])...);
    }
    ((k >= kInputs ? catena::cuda::store_pack<kSize>(
                         reinterpret_cast<Ts*>(data[k]) + i * kSize, packs)
                   : void()),
     ...);
  }

  static __device__ __forceinline__ void apply(
      const Op& op, Ts&... elements, catena::cuda::Compute<Ts>... values) {
    op(values...);
    ((elements = catena::cuda::narrow<Ts>(values)), ...);
  }
};

// Op is a sum of array/kernels/reduction_ops.h, whose state is a double.
template <class Op, class T>
class SumSteps {
 public:
  static constexpr int kPack = 16 / sizeof(T);
  // The number of packs that a thread has in flight.
  static constexpr int kUnroll = 4;

  // The thread's part of the sum over one array.
  static __device__ __forceinline__ double run(
      const catena::cuda::UpdateParams& params) {
    using Pack = catena::cuda::Pack<T, kPack>;
    const int array = array_of_block(params);
    const int first = params.first_blocks[array];
    const int64_t thread =
        int64_t{static_cast<int>(blockIdx.x) - first} * blockDim.x +
        threadIdx.x;
    const int64_t threads =
        int64_t{params.first_blocks[array + 1] - first} * blockDim.x;
    const int64_t packs = params.sizes[array] / kPack;
    const auto* const elements =
        reinterpret_cast<const T*>(params.data[array][0]);
    double sum = 0;
    for (int64_t i = thread; i < packs; i += kUnroll * threads) {
      // Past the end the first pack is read again, so that the loads need no
      // branch, and counts as 0.
      Pack loaded[kUnroll];
#pragma unroll
      for (int u = 0; u < kUnroll; ++u) {
        const int64_t at = i + u * threads;
        loaded[u] = catena::cuda::load_pack<kPack>(
            elements + (at < packs ? at : i) * kPack);
      }
#pragma unroll
      for (int u = 0; u < kUnroll; ++u) {
        // A few in the compute type, which GPUs add many times faster.
        Value few = 0;
#pragma unroll
        for (int j = 0; j < kPack; ++j) {
          few = Op::combine(few, map(loaded[u].elements[j]));
        }
        const bool exists = i + u * threads < packs;
        sum = Op::combine(sum, exists ? static_cast<double>(few) : 0.0);
      }
    }
    const int64_t rest = packs * kPack + thread;
    if (rest < params.sizes[array]) {
      sum = Op::combine(sum, static_cast<double>(map(elements[rest])));
    }
    return sum;
  }

 private:
  using Value = typename Op::template Value<T>;

  static __device__ __forceinline__ Value map(T stored) {
    return Op::template map<T>(catena::cuda::widen(stored), 0);
  }
};

}  // namespace catena::kernels::CATENA_BACKEND
