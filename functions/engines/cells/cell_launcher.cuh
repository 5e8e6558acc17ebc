#pragma once

// CUDA cell kernels: the same functors as the CPU's CellLoop (cell_loop.h),
// with one thread per unit of each row.

#include <algorithm>
#include <cstdint>

#include "catena/array/cuda/element.cuh"
#include "catena/array/cuda/grid_loop.cuh"
#include "catena/functions/engines/cells/cell_args.h"

namespace catena::kernels::CATENA_BACKEND {

// The streams of a call; see CellArgs.
struct CellParams {
  int64_t units;
  int inputs;
  functions::CellArgs::Stream streams[functions::kMaxCellStreams];
};

// A functor's view of one unit.
template <class S>
class Cell {
 public:
  using Value = catena::cuda::Compute<S>;

  __device__ Cell(const CellParams& params, int64_t row, int64_t unit)
      : params_(params), row_(row), unit_(unit) {}

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
    const functions::CellArgs::Stream& stream = params_.streams[k];
    return reinterpret_cast<S*>(stream.data + row_ * stream.row_stride +
                                unit_ * stream.unit_stride);
  }

  const CellParams& params_;
  int64_t row_;
  int64_t unit_;
};

template <class Op, class S>
__global__ void __launch_bounds__(catena::cuda::kBlockThreads)
    cell_kernel(Op op, CellParams params, int64_t items) {
  for (int64_t i = catena::cuda::first_item(); i < items;
       i += catena::cuda::item_step()) {
    Cell<S> cell(params, i / params.units, i % params.units);
    op(cell);
  }
}

template <class Op, class S>
class CellLoop {
 public:
  // The kernel's entry in the slot's table.
  static void run(const functions::CellArgs& args) {
    CellParams params = {};
    params.units = args.units;
    params.inputs = args.inputs;
    std::copy_n(args.streams, args.inputs + args.outputs, params.streams);
    const int64_t items = args.rows * args.units;
    catena::cuda::launch_over(cell_kernel<Op, S>, items, args.device.index(),
                              *static_cast<const Op*>(args.op), params, items);
  }
};

}  // namespace catena::kernels::CATENA_BACKEND
