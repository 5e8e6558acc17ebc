#pragma once

// Combines the states of a block's threads.

#include <cstdint>
#include <cstring>

namespace catena::cuda {

// Exchanges a value word by word.
template <class V, class Shuffle>
__device__ __forceinline__ V shuffle_words(const V& value, Shuffle shuffle) {
  constexpr int kWords = (sizeof(V) + 3) / 4;
  uint32_t words[kWords] = {};
  memcpy(words, &value, sizeof(V));
#pragma unroll
  for (int i = 0; i < kWords; ++i) words[i] = shuffle(words[i]);
  V result;
  memcpy(&result, words, sizeof(V));
  return result;
}

// The value of the thread `distance` lanes up in the warp.
template <class V>
__device__ __forceinline__ V shuffle_down(const V& value, int distance) {
  return shuffle_words(value, [=](uint32_t word) {
    return __shfl_down_sync(0xffffffffu, word, distance);
  });
}

// The value of the lane whose number differs in `bits`. All lanes in the mask
// must call it.
template <class V>
__device__ __forceinline__ V shuffle_xor(uint32_t mask, const V& value,
                                         int bits) {
  return shuffle_words(
      value, [=](uint32_t word) { return __shfl_xor_sync(mask, word, bits); });
}

// Combines the states of 2^log_lanes neighbouring threads; the first of them
// gets the result. Every thread of the block must call it.
template <class V, class Combine>
__device__ __forceinline__ V combine_neighbours(V state, int log_lanes,
                                                V* shared, Combine combine) {
  const int lanes = 1 << log_lanes;
  for (int distance = min(lanes, 32) / 2; distance > 0; distance /= 2) {
    state = combine(state, shuffle_down(state, distance));
  }
  if (lanes <= 32) return state;
  const int warp = threadIdx.x / 32;
  if (threadIdx.x % 32 == 0) shared[warp] = state;
  __syncthreads();
  if (threadIdx.x % lanes == 0) {
    for (int other = 1; other < lanes / 32; ++other) {
      state = combine(state, shared[warp + other]);
    }
  }
  return state;
}

// Combines the states of 2^log_lanes threads that are `distance` apart, each of
// which has several of its own; the first of them gets the results. `shared` is
// for as many as the block has. Every thread of the block must call it.
template <class V, int kStates, class Combine>
__device__ __forceinline__ void combine_columns(V (&states)[kStates],
                                                int log_lanes, int distance,
                                                V* shared, Combine combine) {
  const int lane = threadIdx.x / distance;
  for (int lanes = (1 << log_lanes) / 2; lanes > 0; lanes /= 2) {
#pragma unroll
    for (int j = 0; j < kStates; ++j) {
      shared[j * blockDim.x + threadIdx.x] = states[j];
    }
    __syncthreads();
    if (lane < lanes) {
      const int other = threadIdx.x + lanes * distance;
#pragma unroll
      for (int j = 0; j < kStates; ++j) {
        states[j] = combine(states[j], shared[j * blockDim.x + other]);
      }
    }
    __syncthreads();
  }
}
template <class V, class Combine>
__device__ __forceinline__ V combine_columns(V state, int log_lanes,
                                             int distance, V* shared,
                                             Combine combine) {
  V states[] = {state};
  combine_columns(states, log_lanes, distance, shared, combine);
  return states[0];
}

}  // namespace catena::cuda
