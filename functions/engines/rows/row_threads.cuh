#pragma once

// The threads that compute a row of a CUDA row kernel.

#include <algorithm>
#include <cstdint>

#include "catena/array/cuda/block_combine.cuh"

namespace catena::kernels::CATENA_BACKEND {

inline constexpr int kWarpLanes = 32;

// How the threads of blocks are assigned to rows.
struct RowLayout {
  // There are 2^log_threads for each row: lanes of a warp, or a whole block.
  int log_threads;
  // From a row's lane to its next, 1 unless those of neighbouring rows are in
  // between.
  int distance;
};

// The threads of one row. Rows that share a warp do not wait for each other,
// since a functor may return early.
class RowThreads {
 public:
  __device__ __forceinline__ explicit RowThreads(const RowLayout& layout)
      : log_count_(layout.log_threads), distance_(layout.distance) {
    const int thread = static_cast<int>(threadIdx.x);
    if (count() > kWarpLanes) {
      own_ = thread;
      return;
    }
    const int lane = thread % kWarpLanes;
    const int rows = kWarpLanes >> log_count_;
    if (distance_ == 1) {
      own_ = lane & (count() - 1);
      row_ = lane >> log_count_;
    } else {
      own_ = lane / distance_;
      row_ = lane % distance_;
    }
    row_ += thread / kWarpLanes * rows;
    if (count() == kWarpLanes) return;
    lanes_ = 0;
    for (int i = 0; i < count(); ++i) {
      lanes_ |= uint32_t{1} << (lane + (i - own_) * distance_);
    }
  }

  // The row's number among those that the block computes at once.
  __device__ int row() const { return row_; }
  // The thread's number among those of the row.
  __device__ int own() const { return own_; }
  __device__ int count() const { return 1 << log_count_; }
  __device__ int log_count() const { return log_count_; }

  // Combines the states of all threads by a commutative function, in an order
  // that depends on nothing but their number; every thread gets the result.
  template <class State, class Combine>
  __device__ __forceinline__ State combine(State state, Combine f) const {
    const int in_warp = distance_ * min(count(), kWarpLanes);
    for (int bits = distance_; bits < in_warp; bits *= 2) {
      state = f(state, catena::cuda::shuffle_xor(lanes_, state, bits));
    }
    return count() > kWarpLanes ? combine_warps(state, f) : state;
  }

 private:
  template <class State, class Combine>
  __device__ __forceinline__ State combine_warps(State state, Combine f) const {
    __shared__ State of_warps[kWarpLanes];
    const int lane = own_ % kWarpLanes;
    const int warps = count() / kWarpLanes;
    if (lane == 0) of_warps[own_ / kWarpLanes] = state;
    __syncthreads();
    state = of_warps[lane & (warps - 1)];
    __syncthreads();
    for (int bits = 1; bits < warps; bits *= 2) {
      state = f(state, catena::cuda::shuffle_xor(lanes_, state, bits));
    }
    return state;
  }

  int log_count_;
  int distance_;
  int own_;
  int row_ = 0;
  uint32_t lanes_ = 0xffffffffu;  // of the warp that compute the row
};

}  // namespace catena::kernels::CATENA_BACKEND
