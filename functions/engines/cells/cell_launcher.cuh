#pragma once

// CUDA cell kernels: the same functors as the CPU's CellLoop (cell_loop.h). A
// thread has packs of adjacent units if the streams allow it, as few as keep
// four loads in flight, else one unit: with a loop, the compiler spills
// registers.

#include <algorithm>
#include <cstdint>

#include "catena/array/cuda/fast_divider.h"
#include "catena/array/cuda/grid_loop.cuh"
#include "catena/cuda/element.cuh"
#include "catena/cuda/launch.h"
#include "catena/cuda/launch_shape.h"
#include "catena/cuda/load_if.cuh"
#include "catena/functions/engines/cells/cell_args.h"

namespace catena::kernels::CATENA_BACKEND {

// The streams of a call; see CellArgs. A thread's item is a unit or a pack of
// units, and strides are from one item to the next.
struct CellParams {
  catena::cuda::IndexDivider row_items;
  int64_t items;
  uint32_t present;  // bit k: input k of a counted functor is not absent
  int inputs;
  functions::CellArgs::Stream streams[functions::kMaxCellStreams];

  // Where a thread's item is.
  struct Place {
    int64_t row;
    int64_t item;
  };
  __device__ Place place(int64_t i) const {
    const int64_t row = row_items.divide(i);
    return {row, i - row * row_items.divisor()};
  }
  __device__ char* address(int k, const Place& place) const {
    const functions::CellArgs::Stream& stream = streams[k];
    return stream.data + place.row * stream.row_stride +
           place.item * stream.unit_stride;
  }
};

// A functor's view of one unit.
template <class S>
class Cell {
 public:
  using Value = catena::cuda::Compute<S>;

  __device__ Cell(const CellParams& params, int64_t i)
      : params_(params), place_(params.place(i)) {}

  __device__ Value in(int k) const { return catena::cuda::widen(*element(k)); }
  __device__ Value in_or_zero(int k) const {
    return params_.streams[k].data == nullptr ? Value(0) : in(k);
  }
  __device__ void out(int k, Value value) const {
    k += params_.inputs;
    if (params_.streams[k].data == nullptr) return;
    *element(k) = catena::cuda::narrow<S>(value);
  }

 private:
  __device__ S* element(int k) const {
    return reinterpret_cast<S*>(params_.address(k, place_));
  }

  const CellParams& params_;
  CellParams::Place place_;
};

template <class Op, class S>
__global__ void __launch_bounds__(catena::cuda::kBlockThreads)
    cell_kernel(Op op, CellParams params) {
  const int64_t i = catena::cuda::first_item();
  if (i >= params.items) return;
  Cell<S> cell(params, i);
  op(cell);
}

// Functors that say how many streams they have.
template <class Op>
concept OfCountedStreams = requires {
  Op::kInputs;
  Op::kOutputs;
};

// A pack of each stream. The gates of a group are in the group's packs, unit by
// unit, as in memory.
template <class S, int kCount, int kFirstGate, int kGroups>
struct CellPacks {
  static constexpr int kPack = catena::cuda::kWidestPack<S>;
  static constexpr int kGates = functions::CellStreams::kGates;

  catena::cuda::Pack<S, kPack> packs[kCount];

  __device__ __forceinline__ S& element(int k, int unit) {
    const int gate = k - kFirstGate;
    if (gate < 0 || gate >= kGroups * kGates) return packs[k].elements[unit];
    const int of_unit = gate % kGates;
    const int at = unit * kGates + of_unit;
    return packs[k - of_unit + at / kPack].elements[at % kPack];
  }
};

// A functor's view of one unit of packs.
template <class Op, class S>
class UnitOfPacks {
 public:
  using Value = catena::cuda::Compute<S>;
  using Inputs = CellPacks<S, Op::kInputs.count, Op::kInputs.first_gate,
                           Op::kInputs.groups>;
  using Outputs = CellPacks<S, Op::kOutputs.count, Op::kOutputs.first_gate,
                            Op::kOutputs.groups>;

  __device__ UnitOfPacks(Inputs& inputs, Outputs& outputs, uint32_t present,
                         int unit)
      : inputs_(inputs), outputs_(outputs), present_(present), unit_(unit) {}

  __device__ __forceinline__ Value in(int k) const {
    return catena::cuda::widen(inputs_.element(k, unit_));
  }
  __device__ __forceinline__ Value in_or_zero(int k) const {
    return (present_ >> k & 1) != 0 ? in(k) : Value(0);
  }
  __device__ __forceinline__ void out(int k, Value value) const {
    outputs_.element(k, unit_) = catena::cuda::narrow<S>(value);
  }

 private:
  Inputs& inputs_;
  Outputs& outputs_;
  uint32_t present_;
  int unit_;
};

// The items of a thread of cell_packs, a block apart.
template <class Op>
inline constexpr int kCellItems =
    catena::cuda::kPacksInFlight<Op::kInputs.count>;

template <class Op, class S>
__global__ void __launch_bounds__(catena::cuda::kBlockThreads)
    cell_packs(Op op, CellParams params) {
  using Unit = UnitOfPacks<Op, S>;
  constexpr int kPack = catena::cuda::kWidestPack<S>;
  constexpr int kItems = kCellItems<Op>;
  constexpr int kThreads = catena::cuda::kBlockThreads;
  const int64_t first = int64_t{blockIdx.x} * (kItems * kThreads) + threadIdx.x;
  CellParams::Place places[kItems];
  typename Unit::Inputs inputs[kItems] = {};
#pragma unroll
  for (int u = 0; u < kItems; ++u) {
    places[u] = params.place(first + u * kThreads);
  }
  // No branch parts the loads: absent streams read another.
#pragma unroll
  for (int u = 0; u < kItems; ++u) {
    const bool exists = first + u * kThreads < params.items;
#pragma unroll
    for (int k = 0; k < Op::kInputs.count; ++k) {
      catena::cuda::load_pack_if(
          exists, reinterpret_cast<const S*>(params.address(k, places[u])),
          /*offset=*/0, inputs[u].packs[k]);
    }
  }
#pragma unroll
  for (int u = 0; u < kItems; ++u) {
    if (first + u * kThreads >= params.items) return;
    typename Unit::Outputs outputs;
#pragma unroll
    for (int unit = 0; unit < kPack; ++unit) {
      Unit view(inputs[u], outputs, params.present, unit);
      op(view);
    }
#pragma unroll
    for (int k = 0; k < Op::kOutputs.count; ++k) {
      const int stream = Op::kInputs.count + k;
      if (params.streams[stream].data == nullptr) continue;
      catena::cuda::store_pack(
          reinterpret_cast<S*>(params.address(stream, places[u])),
          outputs.packs[k]);
    }
  }
}

template <class Op, class S>
class CellLoop {
 public:
  // The kernel's entry in the slot's table.
  static void run(const functions::CellArgs& args) {
    CellParams params = {};
    params.inputs = args.inputs;
    params.items = args.rows * args.units;
    // A single row needs no division, and has more whole packs.
    int64_t units = is_one_row(args) ? params.items : args.units;
    std::copy_n(args.streams, args.inputs + args.outputs, params.streams);
    auto* kernel = &cell_kernel<Op, S>;
    int64_t items_of_block = catena::cuda::kBlockThreads;
    if constexpr (OfCountedStreams<Op>) {
      if (pack(units, params)) {
        units /= kPack;
        params.items /= kPack;
        kernel = &cell_packs<Op, S>;
        items_of_block *= kCellItems<Op>;
      }
    }
    params.row_items = catena::cuda::IndexDivider(units);
    catena::cuda::launch(
        kernel, catena::cuda::ceil_divide(params.items, items_of_block),
        catena::cuda::kBlockThreads, args.device.index(),
        *static_cast<const Op*>(args.op), params);
  }

 private:
  using Stream = functions::CellArgs::Stream;
  static constexpr int kPack = catena::cuda::kWidestPack<S>;
  static constexpr int64_t kPackBytes = kPack * sizeof(S);

  // Whether the rows of every stream follow each other.
  static bool is_one_row(const functions::CellArgs& args) {
    return std::all_of(args.streams, args.streams + args.inputs + args.outputs,
                       [&](const Stream& stream) {
                         return stream.data == nullptr ||
                                stream.row_stride ==
                                    args.units * stream.unit_stride;
                       });
  }

  // Turns the streams into those of packs, if each has whole ones, aligned.
  static bool pack(int64_t units, CellParams& params) {
    Stream* const inputs = params.streams;
    Stream packed[functions::kMaxCellStreams];
    const bool is_one_row = units == params.items;
    if (units % kPack != 0 || !pack(Op::kInputs, is_one_row, inputs, packed) ||
        !pack(Op::kOutputs, is_one_row, inputs + Op::kInputs.count,
              packed + Op::kInputs.count)) {
      return false;
    }
    const Stream* const any = std::find_if(
        packed, packed + Op::kInputs.count,
        [](const Stream& stream) { return stream.data != nullptr; });
    if (any == packed + Op::kInputs.count) return false;
    for (int k = 0; k < Op::kInputs.count; ++k) {
      const bool is_present = packed[k].data != nullptr;
      params.present |= uint32_t{is_present} << k;
      inputs[k] = is_present ? packed[k] : *any;
    }
    std::copy_n(packed + Op::kInputs.count, Op::kOutputs.count,
                inputs + Op::kInputs.count);
    return true;
  }
  static bool pack(const functions::CellStreams& streams, bool is_one_row,
                   const Stream* from, Stream* to) {
    constexpr int64_t kItem = sizeof(S);
    for (int k = 0; k < streams.count; ++k) {
      if (from[k].data == nullptr) {
        to[k] = {nullptr, 0, 0};
        continue;
      }
      const int gate = streams.gate_of(k);
      const int64_t step = streams.is_gate(k) ? streams.kGates * kItem : kItem;
      const Stream& first = from[k - gate];
      const bool fits =
          from[k].unit_stride == step &&
          from[k].data == first.data + gate * kItem &&
          from[k].row_stride == first.row_stride &&
          reinterpret_cast<uintptr_t>(first.data) % kPackBytes == 0 &&
          (is_one_row || first.row_stride % kPackBytes == 0);
      if (!fits) return false;
      to[k] = {first.data + gate * kPackBytes, first.row_stride, step * kPack};
    }
    return true;
  }
};

}  // namespace catena::kernels::CATENA_BACKEND
