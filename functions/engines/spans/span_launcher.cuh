#pragma once

// CUDA span kernels: the same functors as the CPU's SpanLoop (span_loop.h),
// with one thread per result.

#include <cstdint>
#include <utility>

#include "catena/array/cuda/fast_divider.h"
#include "catena/array/cuda/grid_loop.cuh"
#include "catena/cuda/device_memory.h"
#include "catena/cuda/element.cuh"
#include "catena/cuda/stream.h"
#include "catena/functions/engines/spans/exact_sum.cuh"
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

  static __device__ Element load(const void *data, int64_t i) {
    return catena::cuda::widen(static_cast<const S *>(data)[i]);
  }
  static __device__ void store(void *data, int64_t i, Element x) {
    static_cast<S *>(data)[i] = catena::cuda::narrow<S>(x);
  }

 private:
  int64_t row_;
  int64_t at_;
};

// Spans that add in two passes, to an array of ExactSum<Element>.
template <class S>
class AnnouncingSpan : public Span<S> {
 public:
  using typename Span<S>::Element;
  using Span<S>::Span;

  static __device__ void add(void *sums, int64_t i, Element x) {
    static_cast<ExactSum<Element> *>(sums)[i].announce(x);
  }
};
template <class S>
class AddingSpan : public Span<S> {
 public:
  using typename Span<S>::Element;
  using Span<S>::Span;

  static __device__ void add(void *sums, int64_t i, Element x) {
    static_cast<ExactSum<Element> *>(sums)[i].add(x);
  }
};

template <class Op, class Span>
__global__ void __launch_bounds__(catena::cuda::kBlockThreads)
    span_kernel(Op op, int64_t count, catena::cuda::IndexDivider width) {
  for (int64_t i = catena::cuda::first_item(); i < count;
       i += catena::cuda::item_step()) {
    const int64_t row = width.divide(i);
    op(Span(row, i - row * width.divisor()));
  }
}

template <class T>
__global__ void __launch_bounds__(catena::cuda::kBlockThreads)
    read_sums(const ExactSum<T> *sums, T *values, int64_t count) {
  for (int64_t i = catena::cuda::first_item(); i < count;
       i += catena::cuda::item_step()) {
    values[i] = sums[i].value();
  }
}

template <class Op, class S>
class SpanLoop {
 public:
  // The kernel's entry in the slot's table.
  static void run(const functions::SpanArgs &args) {
    const Op &op = *static_cast<const Op *>(args.op);
    if constexpr (requires { op.added_size; }) {
      run_adding(args, op);
    } else {
      launch<Span<S>>(args, op);
    }
  }

 private:
  template <class SpanType>
  static void launch(const functions::SpanArgs &args, const Op &op) {
    const int64_t count = args.rows * args.width;
    catena::cuda::launch_over(span_kernel<Op, SpanType>, count,
                              args.device.index(), op, count,
                              catena::cuda::IndexDivider(args.width));
  }

  // Takes about three times as long as with atomic additions of floats, which
  // would give other bits in each run.
  static void run_adding(const functions::SpanArgs &args, Op op) {
    using T = typename Span<S>::Element;
    const int device = args.device.index();
    const catena::cuda::Memory sums(
        op.added_size * static_cast<int64_t>(sizeof(ExactSum<T>)), device);
    sums.memset_async(0, catena::cuda::current_stream(device));
    T *const values = static_cast<T *>(std::exchange(op.added, sums.ptr()));
    launch<AnnouncingSpan<S>>(args, op);
    launch<AddingSpan<S>>(args, op);
    catena::cuda::launch_over(read_sums<T>, op.added_size, device,
                              static_cast<const ExactSum<T> *>(sums.ptr()),
                              values, op.added_size);
  }
};

}  // namespace catena::kernels::CATENA_BACKEND
