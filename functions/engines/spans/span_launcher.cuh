#pragma once

// CUDA span kernels: the same functors as the CPU's SpanLoop (span_loop.h),
// with one thread per result.

#include <cstdint>

#include "catena/array/cuda/element.cuh"
#include "catena/array/cuda/grid_loop.cuh"
#include "catena/functions/engines/spans/span_args.h"

namespace catena::kernels::CATENA_BACKEND {

// A single result; span_loop.h documents the members.
template <class S>
class Span {
 public:
  using Stored = S;
  using Element = catena::cuda::Compute<S>;
  static constexpr bool kWhole = false;

  CATENA_HOST_DEVICE Span(int64_t row, int64_t at) : row_(row), at_(at) {}

  CATENA_HOST_DEVICE int64_t row() const { return row_; }
  CATENA_HOST_DEVICE int64_t begin() const { return at_; }
  CATENA_HOST_DEVICE int64_t end() const { return at_ + 1; }

  static CATENA_HOST_DEVICE Element load(const void* data, int64_t i) {
    return static_cast<Element>(static_cast<const S*>(data)[i]);
  }
  static CATENA_HOST_DEVICE void store(void* data, int64_t i, Element x) {
    static_cast<S*>(data)[i] = static_cast<S>(x);
  }
  static CATENA_HOST_DEVICE void add(void* data, int64_t i, Element x) {
#ifdef __CUDA_ARCH__
    atomicAdd(static_cast<Element*>(data) + i, x);
#else
    static_cast<Element*>(data)[i] += x;
#endif
  }

 private:
  int64_t row_;
  int64_t at_;
};

template <class Op, class S>
__global__ void __launch_bounds__(catena::cuda::kBlockThreads)
    span_kernel(Op op, int64_t rows, int64_t width) {
  const int64_t count = rows * width;
  for (int64_t i = catena::cuda::first_item(); i < count;
       i += catena::cuda::item_step()) {
    const int64_t row = i / width;
    op(Span<S>(row, i - row * width));
  }
}

template <class Op, class S>
class SpanLoop {
 public:
  // The kernel's entry in the slot's table.
  static void run(const functions::SpanArgs& args) {
    catena::cuda::launch_over(
        span_kernel<Op, S>, args.rows * args.width, args.device.index(),
        *static_cast<const Op*>(args.op), args.rows, args.width);
  }
};

}  // namespace catena::kernels::CATENA_BACKEND
