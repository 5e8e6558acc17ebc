#pragma once

// The per-thread code of CUDA's reduction kernels. array/reduction_ops.h
// documents the functors.

#include <cstdint>

#include "catena/array/cuda/block_combine.cuh"
#include "catena/array/cuda/element.cuh"
#include "catena/array/cuda/reduction_params.h"
#include "catena/array/reduction_ops.h"
#include "catena/cuda/launch_shape.h"

namespace catena::kernels::CATENA_BACKEND {

template <class Op, class T>
class ReductionSteps {
 public:
  using State = typename Op::template State<T>;

  // From elements to results, or to the states of splits.
  static __device__ __forceinline__ void reduce(
      const catena::cuda::ReductionParams& params, State* shared) {
    const catena::cuda::ReductionShape& shape = params.shape;
    const int lanes = shape.lanes();
    const int block_outputs = blockDim.x >> shape.log_lanes;
    const int lane =
        shape.rows ? threadIdx.x & (lanes - 1) : threadIdx.x / block_outputs;
    const int column = shape.rows ? threadIdx.x >> shape.log_lanes
                                  : threadIdx.x % block_outputs;
    const int64_t split = blockIdx.x % shape.splits;
    const int64_t output =
        int64_t{blockIdx.x / shape.splits} * block_outputs + column;

    State state = Op::template identity<State>();
    int64_t in_offset = 0;
    int64_t out_offset = 0;
    if (output < params.outputs) {
      find_output(params, output, in_offset, out_offset);
      const int64_t begin = split * params.split_size;
      const int64_t end = min(begin + params.split_size, params.count);
      state = reduce_range(params, params.input + in_offset, begin + lane, end,
                           lanes);
    }
    state = shape.rows
                ? catena::cuda::combine_neighbours(state, shape.log_lanes,
                                                   shared, Combine())
                : catena::cuda::combine_columns(
                      state, shape.log_lanes, block_outputs, shared, Combine());
    if (output >= params.outputs || lane != 0) return;
    if (shape.splits > 1) {
      states_of(params)[output * shape.splits + split] = state;
    } else {
      store(params, out_offset, state);
    }
  }

  // From the states of splits to results, one per block.
  static __device__ __forceinline__ void combine_splits(
      const catena::cuda::ReductionParams& params, State* shared) {
    const int64_t output = blockIdx.x;
    const int splits = params.shape.splits;
    const State* states = states_of(params) + output * splits;
    State state = Op::template identity<State>();
    for (int i = threadIdx.x; i < splits; i += blockDim.x) {
      state = Op::combine(state, states[i]);
    }
    constexpr int kLogThreads = 8;
    static_assert(1 << kLogThreads == catena::cuda::kBlockThreads);
    state =
        catena::cuda::combine_neighbours(state, kLogThreads, shared, Combine());
    if (threadIdx.x != 0) return;
    int64_t in_offset = 0;
    int64_t out_offset = 0;
    find_output(params, output, in_offset, out_offset);
    store(params, out_offset, state);
  }

 private:
  using Value = typename Op::template Value<T>;
  using Result = typename Op::template Result<T>;

  struct Combine {
    __device__ __forceinline__ State operator()(const State& a,
                                                const State& b) const {
      return Op::combine(a, b);
    }
  };

  static __device__ __forceinline__ State* states_of(
      const catena::cuda::ReductionParams& params) {
    return reinterpret_cast<State*>(params.states);
  }

  static __device__ __forceinline__ void store(
      const catena::cuda::ReductionParams& params, int64_t out_offset,
      const State& state) {
    *reinterpret_cast<Result*>(params.output + out_offset) =
        catena::cuda::narrow<Result>(
            Op::template finish<T>(state, params.count));
  }

  static __device__ __forceinline__ void find_output(
      const catena::cuda::ReductionParams& params, int64_t output,
      int64_t& in_offset, int64_t& out_offset) {
#pragma unroll 1
    for (int axis = params.nkept - 1; axis > 0; --axis) {
      const catena::cuda::ReductionAxis& kept = params.kept[axis];
      const int64_t outer = kept.extent.divide(output);
      const int64_t index = output - outer * kept.extent.divisor();
      in_offset += index * kept.in_stride;
      out_offset += index * kept.out_stride;
      output = outer;
    }
    in_offset += output * params.kept[0].in_stride;
    out_offset += output * params.kept[0].out_stride;
  }

  static __device__ __forceinline__ int64_t
  element_offset(const catena::cuda::ReductionParams& params, int64_t i) {
    int64_t offset = 0;
#pragma unroll 1
    for (int axis = params.nreduced - 1; axis > 0; --axis) {
      const catena::cuda::ReductionAxis& reduced = params.reduced[axis];
      const int64_t outer = reduced.extent.divide(i);
      offset += (i - outer * reduced.extent.divisor()) * reduced.in_stride;
      i = outer;
    }
    return offset + i * params.reduced[0].in_stride;
  }

  // Reduces every lanes-th element of [first, end), accumulating in Values for
  // a number of steps and then in the State, which may be wider.
  static __device__ __forceinline__ State
  reduce_range(const catena::cuda::ReductionParams& params, const char* input,
               int64_t first, int64_t end, int lanes) {
    constexpr int kUnroll = catena::cuda::kReductionUnroll;
    constexpr int kStepsInValues = 16;
    State state = Op::template identity<State>();
    int64_t i = first;
    while (i < end) {
      Value values[kUnroll];
#pragma unroll
      for (int u = 0; u < kUnroll; ++u) {
        values[u] = Op::template identity<Value>();
      }
      for (int step = 0; step < kStepsInValues && i < end; ++step) {
#pragma unroll
        for (int u = 0; u < kUnroll; ++u) {
          const int64_t at = i + int64_t{u} * lanes;
          if (at < end) {
            values[u] = Op::combine(values[u], element(params, input, at));
          }
        }
        i += int64_t{kUnroll} * lanes;
      }
#pragma unroll
      for (int u = 0; u < kUnroll; ++u) {
        state = Op::combine(state, static_cast<State>(values[u]));
      }
    }
    return state;
  }

  static __device__ __forceinline__ Value
  element(const catena::cuda::ReductionParams& params, const char* input,
          int64_t i) {
    const T stored =
        *reinterpret_cast<const T*>(input + element_offset(params, i));
    return Op::template map<T>(catena::cuda::widen(stored), i);
  }
};

}  // namespace catena::kernels::CATENA_BACKEND
