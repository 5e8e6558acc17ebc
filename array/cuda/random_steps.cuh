#pragma once

// The per-thread code of CUDA's distributions: draws all values of a counter,
// which belong to the same indices as in the CPU's RandomLoop
// (array/cpu/random_loop.h).

#include <cstdint>
#include <utility>

#include "catena/array/kernels/philox.h"
#include "catena/array/kernels/random_kernel.h"

namespace catena::kernels::CATENA_BACKEND {

template <class Op, class T>
class RandomSteps {
 public:
  static constexpr int kCounterValues = kValuesPerCounter<Op, T>;

  static __device__ __forceinline__ void fill(const Op& op, T* out,
                                              int64_t size, uint64_t first,
                                              uint64_t key) {
    visit(op, size, first, key, [out](int64_t i, T value) { out[i] = value; });
  }

  // Calls use(i, value) for the thread's elements.
  template <class Use>
  static __device__ __forceinline__ void visit(const Op& op, int64_t size,
                                               uint64_t first, uint64_t key,
                                               const Use& use) {
    const int64_t groups = (size + kGroupValues - 1) / kGroupValues;
    const int64_t threads = int64_t{gridDim.x} * blockDim.x;
    for (int64_t counter = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
         counter < groups * kCounterGroup; counter += threads) {
      const PhiloxWords words =
          philox(first + static_cast<uint64_t>(counter), key);
      const int64_t group = counter / kCounterGroup;
      const int64_t at = group * kGroupValues + counter % kCounterGroup;
      visit_calls(op, words, use, size, at, Calls());
    }
  }

 private:
  static constexpr int kWords = Op::template kWords<T>;
  static constexpr int kValues = Op::template kValues<T>;
  static constexpr int kGroupValues = kCounterValues * kCounterGroup;
  using Calls = std::make_index_sequence<4 / kWords>;

  template <class Use, size_t... call>
  static __device__ __forceinline__ void visit_calls(
      const Op& op, const PhiloxWords& words, const Use& use, int64_t size,
      int64_t at, std::index_sequence<call...>) {
    (visit_call(op, words, call * kWords, use, size,
                at + static_cast<int64_t>(call) * kValues * kCounterGroup,
                std::make_index_sequence<kWords>()),
     ...);
  }

  template <class Use, size_t... w>
  static __device__ __forceinline__ void visit_call(
      const Op& op, const PhiloxWords& words, size_t first_word, const Use& use,
      int64_t size, int64_t at, std::index_sequence<w...>) {
    const uint32_t in[kWords] = {words.v[first_word + w]...};
    T values[kValues];
    op(in, values);
#pragma unroll
    for (int v = 0; v < kValues; ++v) {
      const int64_t i = at + int64_t{v} * kCounterGroup;
      if (i < size) use(i, values[v]);
    }
  }
};

}  // namespace catena::kernels::CATENA_BACKEND
