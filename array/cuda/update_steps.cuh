#pragma once

// The per-thread code of an update of many arrays, which applies
// op(in..., inout&...) to packs of elements, and of sums over many arrays.

#include <algorithm>
#include <cstdint>
#include <utility>

#include "catena/array/cuda/update_params.h"
#include "catena/cuda/element.cuh"
#include "catena/cuda/load_if.cuh"

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
  static constexpr int kUnroll = catena::cuda::kPacksInFlight<sizeof...(Ts)>;

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
    char* const* const data = params.data[array];
    for (int64_t i = thread; i < packs; i += kUnroll * threads) {
      Operands<kPack> loaded[kUnroll];
#pragma unroll
      for (int u = 0; u < kUnroll; ++u) {
        const int64_t at = i + u * threads;
        loaded[u].load_if(at < packs, data, at);
      }
#pragma unroll
      for (int u = 0; u < kUnroll; ++u) {
        const int64_t at = i + u * threads;
        if (at < packs) loaded[u].update(op, data, at);
      }
    }
    const int64_t rest = packs * kPack + thread;
    if (rest < params.sizes[array]) {
      Operands<1> element;
      element.load_if(true, data, rest);
      element.update(op, data, rest);
    }
  }

 private:
  template <int k, class T, int kSize>
  struct Operand {
    catena::cuda::Pack<T, kSize> pack = {};
  };

  // kSize elements of each operand.
  template <int kSize, class Indexes>
  struct OperandsAt;
  template <int kSize, int... k>
  struct OperandsAt<kSize, std::integer_sequence<int, k...>>
      : Operand<k, Ts, kSize>... {
    // Those from kSize * i on.
    __device__ __forceinline__ void load_if(bool wanted, char* const* data,
                                            int64_t i) {
      (catena::cuda::load_pack_if(
           wanted, reinterpret_cast<const Ts*>(data[k]) + i * kSize,
           /*offset=*/0, Operand<k, Ts, kSize>::pack),
       ...);
    }
    // Applies op and writes what it changes.
    __device__ __forceinline__ void update(const Op& op, char* const* data,
                                           int64_t i) {
#pragma unroll
      for (int j = 0; j < kSize; ++j) {
        apply(op, Operand<k, Ts, kSize>::pack.elements[j]...,
              catena::cuda::widen(Operand<k, Ts, kSize>::pack.elements[j])...);
      }
      ((k >= kInputs ? catena::cuda::store_pack<kSize>(
                           reinterpret_cast<Ts*>(data[k]) + i * kSize,
                           Operand<k, Ts, kSize>::pack)
                     : void()),
       ...);
    }
  };
  template <int kSize>
  using Operands =
      OperandsAt<kSize, std::make_integer_sequence<int, sizeof...(Ts)>>;

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
