#pragma once

// CUDA block kernels: the same functors as the CPU's BlockLoop (block_loop.h),
// with one warp per item.

#include <algorithm>
#include <cstdint>
#include <limits>

#include "catena/cuda/element.cuh"
#include "catena/cuda/launch.h"
#include "catena/functions/engines/blocks/block_args.h"

namespace catena::kernels::CATENA_BACKEND {

inline constexpr int kWarpThreads = 32;
inline constexpr int kWarpsPerBlock = 4;

// A functor's view of an item; block_loop.h documents the members. Each thread
// processes the elements at its index in the warp plus multiples of the warp
// size.
template <class S>
class Block {
 public:
  using Stored = S;
  using Element = catena::cuda::Compute<S>;
  using Term = functions::WeightedVector<S, Element>;

  __device__ explicit Block(int64_t index) : index_(index) {}

  __device__ int64_t index() const { return index_; }

  template <class Out, class F, class... In>
  __device__ void map(int64_t n, Out* out, F f, const In*... in) const {
    for (int64_t i = thread(); i < n; i += kWarpThreads) {
      out[i] = catena::cuda::narrow<Out>(f(element(in[i])...));
    }
    wait();
  }

  template <class F, class... In>
  __device__ Element sum(int64_t n, F f, const In*... in) const {
    Element state(0);
    for (int64_t i = thread(); i < n; i += kWarpThreads) {
      state += f(element(in[i])...);
    }
    return combine_threads(state, [](Element a, Element b) { return a + b; });
  }
  template <class F, class... In>
  __device__ Element max(int64_t n, F f, const In*... in) const {
    const auto larger = [](Element a, Element b) {
      return a > b || a != a ? a : b;
    };
    Element state = -std::numeric_limits<Element>::infinity();
    for (int64_t i = thread(); i < n; i += kWarpThreads) {
      state = larger(state, f(element(in[i])...));
    }
    return combine_threads(state, larger);
  }

  template <class Out, class F>
  __device__ void combine(int64_t n, Out* out, int64_t count, F term) const {
    for (int64_t i = thread(); i < n; i += kWarpThreads) {
      Element total(0);
      for (int64_t k = 0; k < count; ++k) {
        const Term t = term(k);
        if (t.values != nullptr) {
          total += t.weight * element(t.values[i]);
        }
      }
      out[i] = catena::cuda::narrow<Out>(total);
    }
    wait();
  }

  template <class F>
  __device__ void each(int64_t n, F f) const {
    for (int64_t i = thread(); i < n; i += kWarpThreads) f(i);
    wait();
  }
  template <class F>
  __device__ void once(F f) const {
    if (thread() == 0) f();
    wait();
  }
  template <class Out>
  __device__ void write(Out* to, Element x) const {
    if (thread() == 0) *to = catena::cuda::narrow<Out>(x);
    wait();
  }

 private:
  static __device__ int64_t thread() { return threadIdx.x % kWarpThreads; }

  template <class In>
  static __device__ Element element(In stored) {
    return static_cast<Element>(catena::cuda::widen(stored));
  }

  // Makes the warp's writes visible to all its threads.
  static __device__ void wait() { __syncwarp(); }

  // Combines in a fixed order; every thread gets the result.
  template <class Combine>
  static __device__ Element combine_threads(Element state, Combine f) {
    for (int step = kWarpThreads / 2; step > 0; step /= 2) {
      state = f(state, __shfl_xor_sync(0xffffffffu, state, step));
    }
    return state;
  }

  int64_t index_;
};

template <class Op, class S>
__global__ void __launch_bounds__(kWarpThreads* kWarpsPerBlock)
    block_kernel(Op op, int64_t blocks) {
  const int64_t step = int64_t{gridDim.x} * kWarpsPerBlock;
  for (int64_t i =
           int64_t{blockIdx.x} * kWarpsPerBlock + threadIdx.x / kWarpThreads;
       i < blocks; i += step) {
    op(Block<S>(i));
  }
}

template <class Op, class S>
class BlockLoop {
 public:
  // The kernel's entry in the slot's table.
  static void run(const functions::BlockArgs& args) {
    const int64_t grid = (args.blocks + kWarpsPerBlock - 1) / kWarpsPerBlock;
    catena::cuda::launch(&block_kernel<Op, S>, std::min<int64_t>(grid, 1 << 20),
                         kWarpThreads * kWarpsPerBlock, args.device.index(),
                         *static_cast<const Op*>(args.op), args.blocks);
  }
};

}  // namespace catena::kernels::CATENA_BACKEND
