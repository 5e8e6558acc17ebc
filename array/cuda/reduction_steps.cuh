#pragma once

// The per-thread code of CUDA's reduction kernels.
// array/kernels/reduction_ops.h documents the functors.

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "catena/array/cuda/block_combine.cuh"
#include "catena/array/cuda/reduction_params.h"
#include "catena/array/kernels/reduction_ops.h"
#include "catena/cuda/element.cuh"

namespace catena::kernels::CATENA_BACKEND {

template <class Op, class T>
class ReductionSteps {
 public:
  using State = typename Op::template State<T>;

 private:
  using Value = typename Op::template Value<T>;
  using Result = typename Op::template Result<T>;

  // The most values, a power of two up to `limit`, that fit so many bytes of
  // registers.
  template <class V>
  static constexpr int most_of(int limit, int bytes) {
    while (limit > 1 && limit * std::max<int>(sizeof(V), 4) > bytes) limit /= 2;
    return limit;
  }

  // Values of many registers are combined by too many instructions for the
  // width of accesses to matter.
  static constexpr int kWidest =
      sizeof(Value) <= 16 ? std::min(catena::cuda::kWidestPack<T>, 8) : 1;

 public:
  static constexpr catena::cuda::ReductionTypes kTypes = {
      sizeof(T), kWidest, most_of<State>(kWidest, /*bytes=*/64)};

  // From elements to results, or to the states of splits: a thread reads kPack
  // adjacent elements of a range, or with kOutputs of as many outputs, by one
  // access. kPack == 1 is for any layout.
  template <int kPack, bool kOutputs>
  static __device__ __forceinline__ void reduce(
      const catena::cuda::ReductionParams& params, State* shared) {
    constexpr int kStates = kOutputs ? kPack : 1;
    const catena::cuda::ReductionShape& shape = params.shape;
    const bool rows = kPack == 1 ? shape.access.rows : !kOutputs;
    const int lanes = shape.lanes();
    const int block_outputs = blockDim.x >> shape.log_lanes;
    const int lane =
        rows ? threadIdx.x & (lanes - 1) : threadIdx.x / block_outputs;
    const int column =
        rows ? threadIdx.x >> shape.log_lanes : threadIdx.x % block_outputs;
    const int64_t split = blockIdx.x % shape.splits;
    const int64_t output =
        int64_t{blockIdx.x / shape.splits} * block_outputs + column;

    State states[kStates];
    set_identity(states);
    int64_t in_offset = 0;
    int64_t out_offset = 0;
    if (output < params.outputs) {
      find_output(params, output, in_offset, out_offset);
      reduce_split<kPack, kOutputs>(params, params.input + in_offset, split,
                                    lane, states);
    }
    if (rows) {
      states[0] = catena::cuda::combine_neighbours(states[0], shape.log_lanes,
                                                   shared, Combine());
    } else {
      catena::cuda::combine_columns(states, shape.log_lanes, block_outputs,
                                    shared, Combine());
    }
    if (output >= params.outputs || lane != 0) return;
    if (shape.splits > 1) {
#pragma unroll
      for (int j = 0; j < kStates; ++j) {
        states_of(params)[(output * kStates + j) * shape.splits + split] =
            states[j];
      }
    } else {
      store(params, out_offset, states);
    }
  }

  // From the states of splits to results.
  static __device__ __forceinline__ void combine_splits(
      const catena::cuda::ReductionParams& params, State* shared) {
    const catena::cuda::ReductionShape& shape = params.shape;
    const int splits = shape.splits;
    const int lanes = 1 << shape.log_split_lanes;
    const int lane = threadIdx.x & (lanes - 1);
    const int pack = shape.access.outputs();
    const int64_t output =
        int64_t{blockIdx.x} * (blockDim.x >> shape.log_split_lanes) +
        (threadIdx.x >> shape.log_split_lanes);
    const bool exists = output < params.outputs * pack;
    State state = Op::template identity<State>();
    for (int i = lane; exists && i < splits; i += lanes) {
      state = Op::combine(state, states_of(params)[output * splits + i]);
    }
    state = catena::cuda::combine_neighbours(state, shape.log_split_lanes,
                                             shared, Combine());
    if (!exists || lane != 0) return;
    int64_t in_offset = 0;
    int64_t out_offset = 0;
    find_output(params, output / pack, in_offset, out_offset);
    store(params, out_offset + output % pack * params.out_step, state);
  }

 private:
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

  template <class V, int kCount>
  static __device__ __forceinline__ void set_identity(V (&values)[kCount]) {
#pragma unroll
    for (int k = 0; k < kCount; ++k) values[k] = Op::template identity<V>();
  }

  static __device__ __forceinline__ Result
  result_of(const catena::cuda::ReductionParams& params, const State& state) {
    return catena::cuda::narrow<Result>(
        array::finish_reduction<Op, Result>(state, params.count));
  }

  // The results of a pack of outputs.
  template <int kStates>
  static __device__ __forceinline__ void store(
      const catena::cuda::ReductionParams& params, int64_t out_offset,
      const State (&states)[kStates]) {
#pragma unroll
    for (int j = 0; j < kStates; ++j) {
      store(params, out_offset + j * params.out_step, states[j]);
    }
  }
  static __device__ __forceinline__ void store(
      const catena::cuda::ReductionParams& params, int64_t out_offset,
      const State& state) {
    *reinterpret_cast<Result*>(params.output + out_offset) =
        result_of(params, state);
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

  // The offset of the i-th element or pack of a range; packs lie along one
  // axis.
  template <int kPack, bool kOutputs>
  static __device__ __forceinline__ int64_t
  offset_of(const catena::cuda::ReductionParams& params, int64_t i) {
    if constexpr (kPack == 1) {
      return element_offset(params, i);
    } else {
      return i * (kOutputs ? params.reduced[0].in_stride
                           : int64_t{kPack * sizeof(T)});
    }
  }

  // Reduces the lane's part of a split.
  template <int kPack, bool kOutputs, int kStates>
  static __device__ __forceinline__ void reduce_split(
      const catena::cuda::ReductionParams& params, const char* input,
      int64_t split, int lane, State (&states)[kStates]) {
    const int lanes = params.shape.lanes();
    int64_t count = params.count;  // of elements, or packs of them
    int64_t head = 0;              // elements before the first aligned pack
    if constexpr (kPack > 1 && !kOutputs) {
      const auto address = reinterpret_cast<uintptr_t>(input);
      head =
          min(static_cast<int64_t>(-address % (kPack * sizeof(T)) / sizeof(T)),
              params.count);
      count = (params.count - head) / kPack;
      const int64_t single = params.count - count * kPack;
      for (int64_t i = lane; split == 0 && i < single; i += lanes) {
        const int64_t at = i < head ? i : i + count * kPack;
        const T stored = reinterpret_cast<const T*>(input)[at];
        states[0] =
            Op::combine(states[0], static_cast<State>(Op::template map<T>(
                                       catena::cuda::widen(stored), at)));
      }
      input += head * int64_t{sizeof(T)};
    }
    const int64_t first = split * params.split_size;
    reduce_packs<kPack, kOutputs>(params, input, first + lane,
                                  min(first + params.split_size, count), lanes,
                                  head, states);
  }

  // Reduces every lanes-th element, or pack, of [i, end), accumulating in
  // Values for a number of steps and then in the States, which may be wider.
  // `head` is the index of the first element.
  template <int kPack, bool kOutputs, int kStates>
  static __device__ __forceinline__ void reduce_packs(
      const catena::cuda::ReductionParams& params, const char* input, int64_t i,
      int64_t end, int lanes, int64_t head, State (&states)[kStates]) {
    constexpr int kUnroll = catena::cuda::kReductionUnroll;
    if constexpr (kOutputs && std::is_same_v<Value, State>) {
#pragma unroll 1
      for (; i < end; i += int64_t{kUnroll} * lanes) {
        reduce_step<kPack, kOutputs>(params, input, i, end, lanes, head,
                                     states);
      }
      return;
    }
    constexpr int kValues =
        kOutputs
            ? kPack
            : most_of<Value>(sizeof(Value) > 4 ? 2 : kUnroll, /*bytes=*/32);
    constexpr int kCombinesPerStep = kUnroll * kPack / kValues;
    constexpr int kCombinesInValues = 16;
    constexpr int kSteps = std::max(kCombinesInValues / kCombinesPerStep, 1);
    while (i < end) {
      Value values[kValues];
      set_identity(values);
#pragma unroll 1
      for (int step = 0; step < kSteps && i < end; ++step) {
        reduce_step<kPack, kOutputs>(params, input, i, end, lanes, head,
                                     values);
        i += int64_t{kUnroll} * lanes;
      }
#pragma unroll
      for (int k = 0; k < kValues; ++k) {
        states[k % kStates] =
            Op::combine(states[k % kStates], static_cast<State>(values[k]));
      }
    }
  }

  // Reads kReductionUnroll packs before it combines their elements with Values.
  // Those from `end` on are replaced: the first is read again, so that no
  // branch parts the loads, and counts as the identity.
  template <int kPack, bool kOutputs, int kValues>
  static __device__ __forceinline__ void reduce_step(
      const catena::cuda::ReductionParams& params, const char* input, int64_t i,
      int64_t end, int lanes, int64_t head, Value (&values)[kValues]) {
    constexpr int kUnroll = catena::cuda::kReductionUnroll;
    int64_t offsets[kUnroll];
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      const int64_t at = i + int64_t{u} * lanes;
      offsets[u] = offset_of<kPack, kOutputs>(params, at < end ? at : i);
    }
    catena::cuda::Pack<T, kPack> packs[kUnroll];
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      packs[u] = catena::cuda::load_pack<kPack>(
          reinterpret_cast<const T*>(input + offsets[u]));
    }
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      const int64_t at = i + int64_t{u} * lanes;
#pragma unroll
      for (int j = 0; j < kPack; ++j) {
        const Value value =
            Op::template map<T>(catena::cuda::widen(packs[u].elements[j]),
                                kOutputs ? at : head + at * kPack + j);
        Value& sum = values[(u * kPack + j) % kValues];
        sum =
            Op::combine(sum, at < end ? value : Op::template identity<Value>());
      }
    }
  }
};

}  // namespace catena::kernels::CATENA_BACKEND
