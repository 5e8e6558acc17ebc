#pragma once

// The per-thread code of CUDA's elementwise kernels: over packs of contiguous
// elements, or elements of any layout.

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "catena/array/core/dtype.h"
#include "catena/array/cuda/elementwise_launch.h"
#include "catena/array/cuda/elementwise_params.h"
#include "catena/cuda/element.cuh"
#include "catena/cuda/load_if.cuh"

namespace catena::kernels::CATENA_BACKEND {

template <class S>
using Compute = catena::cuda::Compute<S>;

template <class Op, class In, class Out>
class ElementwiseSteps;

// In and Out are the storage types of the functor's operands. A functor that
// can be called with the inputs alone returns the one output; any other also
// takes the outputs by reference, with their current values, and updates them.
template <class Op, class... In, class... Out>
class ElementwiseSteps<Op, TypeList<In...>, TypeList<Out...>> {
 public:
  static constexpr int kInputs = sizeof...(In);
  static constexpr int kOperands = kInputs + sizeof...(Out);
  static constexpr catena::cuda::ElementwiseTypes kTypes = {
      kOperands,
      kInputs,
      {static_cast<int8_t>(sizeof(In))...,
       static_cast<int8_t>(sizeof(Out))...}};

  static __device__ __forceinline__ void run_flat(
      const Op& op, const catena::cuda::FlatParams& params) {
    constexpr int kPack = kTypes.pack_size();
    Stored repeated;
    load_repeated(params, repeated, Indexes());
    const int64_t packs = params.size / kPack;
    const int block_packs = params.thread_packs * static_cast<int>(blockDim.x);
    const int64_t first = int64_t{blockIdx.x} * block_packs;
    flat_steps<kPack, kTypes.packs_per_thread()>(
        op, params, repeated, first,
        static_cast<int>(std::min<int64_t>(block_packs, packs - first)),
        Indexes());
    if (blockIdx.x == gridDim.x - 1) {
      const int64_t whole = packs * kPack;
      flat_steps<1, 1>(op, params, repeated, whole,
                       static_cast<int>(params.size - whole), Indexes());
    }
  }

  static __device__ __forceinline__ void run_strided(
      const Op& op, const catena::cuda::StridedParams& params) {
    constexpr int kItems = catena::cuda::kStridedItems;
    const uint32_t tile = blockDim.x * kItems;
    for (uint32_t first = blockIdx.x * tile + threadIdx.x; first < params.size;
         first += gridDim.x * tile) {
      strided_steps<kItems>(op, params, first, Indexes());
    }
  }

 private:
  using Stored = std::tuple<In..., Out...>;
  template <size_t k>
  using Element = std::tuple_element_t<k, Stored>;
  using Indexes = std::make_index_sequence<kOperands>;
  using InputIndexes = std::make_index_sequence<kInputs>;
  using Values = std::tuple<Compute<In>..., Compute<Out>...>;
  template <int kSize>
  using Packs = std::tuple<catena::cuda::Pack<In, kSize>...,
                           catena::cuda::Pack<Out, kSize>...>;
  // The values of a pack.
  template <class V, int kSize>
  struct Lanes {
    V values[kSize];
  };
  template <int kSize>
  using PackValues =
      std::tuple<Lanes<Compute<In>, kSize>..., Lanes<Compute<Out>, kSize>...>;

  static constexpr bool kUpdates =
      !std::is_invocable_v<const Op&, Compute<In>...>;
  template <size_t k>
  static constexpr bool kIsRead = k < kInputs || kUpdates;
  template <size_t k>
  static constexpr bool kIsWritten = k >= kInputs;
  static constexpr int kReads = kUpdates ? kOperands : kInputs;

  // Applies the functor to one element of every operand, outputs in place.
  template <class Tuple, size_t... in>
  static __device__ __forceinline__ void apply(const Op& op, Tuple&& values,
                                               std::index_sequence<in...>) {
    if constexpr (kUpdates) {
      std::apply([&](auto&... value) { op(value...); }, values);
    } else {
      std::get<kInputs>(values) =
          static_cast<Compute<Element<kInputs>>>(op(std::get<in>(values)...));
    }
  }

  template <size_t... k>
  static __device__ __forceinline__ void load_repeated(
      const catena::cuda::FlatParams& params, Stored& repeated,
      std::index_sequence<k...>) {
    (load_repeated_operand<k>(params.operands[k], std::get<k>(repeated)), ...);
  }
  template <size_t k>
  static __device__ __forceinline__ void load_repeated_operand(
      const catena::cuda::FlatParams::Operand& operand, Element<k>& element) {
    element = {};
    if constexpr (kIsRead<k>) {
      if (!operand.repeated) return;
      element = operand.data == nullptr
                    ? catena::cuda::element_of<Element<k>>(operand.immediate)
                    : *reinterpret_cast<const Element<k>*>(operand.data);
    }
  }

  // Processes the thread's packs of `count` from `first` on, at most kPacks of
  // them, whose loads overlap. Each is moved to the front when its turn comes,
  // so that there is only one copy of the functor's code. Indexes count from
  // the block's first pack, so that 32 bits do for arrays of any size.
  template <int kSize, int kPacks, size_t... k>
  static __device__ __forceinline__ void flat_steps(
      const Op& op, const catena::cuda::FlatParams& params,
      const Stored& repeated, int64_t first, int count,
      std::index_sequence<k...>) {
    int i = static_cast<int>(threadIdx.x);
    if (i >= count) return;
    Packs<kSize> packs[kPacks];
    (load_packs<k>(params.operands[k], std::get<k>(repeated), first, i, count,
                   packs),
     ...);
#pragma unroll 1
    for (; i < count; i += static_cast<int>(blockDim.x)) {
      PackValues<kSize> values;
      (read<k>(std::get<k>(packs[0]), std::get<k>(values)), ...);
#pragma unroll
      for (int j = 0; j < kSize; ++j) apply_to_lane(op, values, j, Indexes());
      (write<k>(std::get<k>(values), params.operands[k], first, i), ...);
#pragma unroll
      for (int u = 1; u < kPacks; ++u) packs[u - 1] = packs[u];
    }
  }

  // Reads kPacks packs of an operand, those before `count`; each of a repeated
  // one has its element. No branch parts the loads of all operands. What is
  // read once is not marked as that (__ldcs): it pays only where operands
  // exceed the cache, and asking for each access would cost an instruction, a
  // kernel for either case twice the time to compile all of them.
  template <size_t k, int kSize, int kPacks>
  static __device__ __forceinline__ void load_packs(
      const catena::cuda::FlatParams::Operand& operand,
      const Element<k>& repeated, int64_t first, int i, int count,
      Packs<kSize> (&packs)[kPacks]) {
    if constexpr (kIsRead<k>) {
      const auto fill = [&](int u) {
#pragma unroll
        for (int j = 0; j < kSize; ++j) {
          std::get<k>(packs[u]).elements[j] = repeated;
        }
      };
      const Element<k>* const data =
          block_elements<k, kSize>(operand, operand.repeated ? 0 : first);
      // A branch parts no loads where there are those of one operand alone, and
      // takes fewer registers than conditions.
      constexpr bool kIsAlone = kReads == 1;
      if (kIsAlone && operand.repeated) {
#pragma unroll
        for (int u = 0; u < kPacks; ++u) fill(u);
        return;
      }
#pragma unroll
      for (int u = 0; u < kPacks; ++u) {
        const int at = i + u * static_cast<int>(blockDim.x);
        auto& pack = std::get<k>(packs[u]);
        if constexpr (kIsAlone) {
          pack = catena::cuda::load_pack<kSize>(data +
                                                (at < count ? at : i) * kSize);
        } else {
          fill(u);
          catena::cuda::load_pack_if(!operand.repeated && at < count, data,
                                     at * kSize, pack);
        }
      }
    }
  }

  // An operand's elements, from the first of a block's packs on.
  template <size_t k, int kSize>
  static __device__ __forceinline__ Element<k>* block_elements(
      const catena::cuda::FlatParams::Operand& operand, int64_t first) {
    return reinterpret_cast<Element<k>*>(operand.data) + first * kSize;
  }

  template <size_t k, int kSize>
  static __device__ __forceinline__ void read(
      const catena::cuda::Pack<Element<k>, kSize>& pack,
      Lanes<Compute<Element<k>>, kSize>& lanes) {
    if constexpr (kIsRead<k>) catena::cuda::widen(pack, lanes.values);
  }
  template <size_t k, int kSize>
  static __device__ __forceinline__ void write(
      const Lanes<Compute<Element<k>>, kSize>& lanes,
      const catena::cuda::FlatParams::Operand& operand, int64_t first, int i) {
    if constexpr (kIsWritten<k>) {
      catena::cuda::store_pack<kSize>(
          block_elements<k, kSize>(operand, first) + i * kSize,
          catena::cuda::narrow<Element<k>, kSize>(lanes.values));
    }
  }

  // Applies the functor to the j-th element of every operand.
  template <int kSize, size_t... k>
  static __device__ __forceinline__ void apply_to_lane(
      const Op& op, PackValues<kSize>& values, int j,
      std::index_sequence<k...>) {
    apply(op, std::tie(std::get<k>(values).values[j]...), InputIndexes());
  }

  // Processes kItems elements, a block apart, so that their loads overlap.
  template <int kItems, size_t... k>
  static __device__ __forceinline__ void strided_steps(
      const Op& op, const catena::cuda::StridedParams& params, uint32_t first,
      std::index_sequence<k...>) {
    int32_t offsets[kItems][kOperands];
    Values values[kItems];
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
      const uint32_t i = first + item * blockDim.x;
      if (i >= params.size) break;
      find_offsets(params, i, offsets[item]);
      (load_strided<k>(params.operands[k], offsets[item][k],
                       std::get<k>(values[item])),
       ...);
    }
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
      if (first + item * blockDim.x >= params.size) break;
      apply(op, values[item], InputIndexes());
      (store_strided<k>(std::get<k>(values[item]), params.operands[k],
                        offsets[item][k]),
       ...);
    }
  }

  // The byte offset of each operand's i-th element in C order.
  static __device__ __forceinline__ void find_offsets(
      const catena::cuda::StridedParams& params, uint32_t i,
      int32_t (&offsets)[kOperands]) {
#pragma unroll
    for (int k = 0; k < kOperands; ++k) offsets[k] = 0;
#pragma unroll 1
    for (int axis = params.ndim - 1; axis > 0; --axis) {
      const uint32_t outer = params.extents[axis].divide(i);
      const uint32_t index = i - outer * params.extents[axis].divisor();
      add_offsets(params, axis, index, offsets);
      i = outer;
    }
    add_offsets(params, 0, i, offsets);
  }
  static __device__ __forceinline__ void add_offsets(
      const catena::cuda::StridedParams& params, int axis, uint32_t index,
      int32_t (&offsets)[kOperands]) {
#pragma unroll
    for (int k = 0; k < kOperands; ++k) {
      offsets[k] +=
          static_cast<int32_t>(index) * params.operands[k].strides[axis];
    }
  }

  template <size_t k>
  static __device__ __forceinline__ void load_strided(
      const catena::cuda::StridedParams::Operand& operand, int32_t offset,
      Compute<Element<k>>& value) {
    if constexpr (kIsRead<k>) {
      using Source = const Element<k>*;
      value = catena::cuda::widen(
          operand.data == nullptr
              ? catena::cuda::element_of<Element<k>>(operand.immediate)
              : *reinterpret_cast<Source>(operand.data + offset));
    }
  }
  template <size_t k>
  static __device__ __forceinline__ void store_strided(
      const Compute<Element<k>>& value,
      const catena::cuda::StridedParams::Operand& operand, int32_t offset) {
    if constexpr (kIsWritten<k>) {
      *reinterpret_cast<Element<k>*>(operand.data + offset) =
          catena::cuda::narrow<Element<k>>(value);
    }
  }
};

}  // namespace catena::kernels::CATENA_BACKEND
