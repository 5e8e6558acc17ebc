#pragma once

// CUDA row kernels: the same functors as the CPU's RowLoop (row_loop.h), with
// one thread block per row.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "catena/array/cuda/element.cuh"
#include "catena/cuda/launch.h"
#include "catena/functions/engines/rows/row_args.h"

namespace catena::kernels::CATENA_BACKEND {

inline constexpr int kRowThreads = 128;

// The operands' layout; see RowArgs.
struct RowParams {
  int64_t rows;
  int64_t length;
  int64_t inner;
  char* operands[functions::kMaxRowOperands];
};

// A functor's view of a row; row_loop.h documents the members. Each thread
// processes the elements at its index plus multiples of the block size, and so
// changes only what it wrote itself.
template <class S, int inputs, int shared = 0>
class Row {
 public:
  using Stored = S;
  using Element = catena::cuda::Compute<S>;
  using Value = Element;

  CATENA_HOST_DEVICE Row(const RowParams& params, int64_t index)
      : params_(params),
        length_(params.length),
        index_(index),
        start_(index / params.inner * params.length * params.inner +
               index % params.inner) {}

  CATENA_HOST_DEVICE int64_t length() const { return length_; }
  CATENA_HOST_DEVICE int64_t index() const { return index_; }

  template <class F>
  CATENA_HOST_DEVICE Value max(F f) const {
    const auto larger = [](Value a, Value b) {
      return a > b || a != a ? a : b;
    };
    Value state = -std::numeric_limits<Value>::infinity();
    for (int64_t i = thread(); i < length(); i += kRowThreads) {
      state = larger(state, load(i, f, Inputs()));
    }
    return combine(state, larger);
  }
  template <class F>
  CATENA_HOST_DEVICE Value sum(F f) const {
    Value state(0);
    for (int64_t i = thread(); i < length(); i += kRowThreads) {
      state += load(i, f, Inputs());
    }
    return combine(state, [](Value a, Value b) { return a + b; });
  }
  template <class F>
  CATENA_HOST_DEVICE void store(F f) const {
    for (int64_t i = thread(); i < length(); i += kRowThreads) {
      *output(i) = static_cast<S>(load(i, f, Inputs()));
    }
  }
  template <class F>
  CATENA_HOST_DEVICE Value store_sum(F f) const {
    Value state(0);
    for (int64_t i = thread(); i < length(); i += kRowThreads) {
      const Value x = load(i, f, Inputs());
      *output(i) = static_cast<S>(x);
      state += x;
    }
    return combine(state, [](Value a, Value b) { return a + b; });
  }
  template <class F>
  CATENA_HOST_DEVICE void update(F f) const {
    for (int64_t i = thread(); i < length(); i += kRowThreads) {
      *output(i) = static_cast<S>(f(static_cast<Element>(*output(i))));
    }
  }

  CATENA_HOST_DEVICE Row part(int64_t begin, int64_t end) const {
    Row row = *this;
    row.start_ += begin * params_.inner;
    row.length_ = end - begin;
    return row;
  }

  CATENA_HOST_DEVICE Element at(int64_t i, int input = 0) const {
    return static_cast<Element>(*operand(input, i));
  }
  CATENA_HOST_DEVICE void set_at(int64_t i, Element x) const {
    if (i % kRowThreads == thread()) *output(i) = static_cast<S>(x);
  }
  CATENA_HOST_DEVICE void add_at(int64_t i, Element added) const {
    if (i % kRowThreads != thread()) return;
    *output(i) = static_cast<S>(static_cast<Element>(*output(i)) + added);
  }

  static CATENA_HOST_DEVICE Element number(Value x) { return x; }
  static CATENA_HOST_DEVICE Value value(Element x) { return x; }
  template <class T>
  static CATENA_HOST_DEVICE void write(T* to, Element x) {
    if (thread() == 0) *to = static_cast<T>(x);
  }

 private:
  using Inputs = std::make_index_sequence<inputs>;

  static CATENA_HOST_DEVICE int64_t thread() {
#ifdef __CUDA_ARCH__
    return threadIdx.x;
#else
    return 0;  // not run on the host, but functors are compiled for both
#endif
  }

  // Combines the states of all threads in a fixed order; every thread gets the
  // result.
  template <class Combine>
  static CATENA_HOST_DEVICE Value combine(Value state,
                                          [[maybe_unused]] Combine f) {
#ifdef __CUDA_ARCH__
    __shared__ Value states[kRowThreads];
    const int own = static_cast<int>(threadIdx.x);
    states[own] = state;
    __syncthreads();
    for (int half = kRowThreads / 2; half > 0; half /= 2) {
      if (own < half) states[own] = f(states[own], states[own + half]);
      __syncthreads();
    }
    state = states[0];
    __syncthreads();
#endif
    return state;
  }

  CATENA_HOST_DEVICE S* operand(int k, int64_t i) const {
    if (k < inputs && k >= inputs - shared) {
      return reinterpret_cast<S*>(params_.operands[k]) + i;
    }
    return reinterpret_cast<S*>(params_.operands[k]) + start_ +
           i * params_.inner;
  }
  CATENA_HOST_DEVICE S* output(int64_t i) const { return operand(inputs, i); }

  template <size_t... k, class F>
  CATENA_HOST_DEVICE Value load(int64_t i, F f,
                                std::index_sequence<k...>) const {
    return f(static_cast<Element>(*operand(k, i))...);
  }

  const RowParams& params_;
  int64_t length_;
  int64_t index_;
  int64_t start_;
};

template <class Op, class S>
__global__ void __launch_bounds__(kRowThreads)
    row_kernel(Op op, RowParams params) {
  for (int64_t index = blockIdx.x; index < params.rows; index += gridDim.x) {
    Row<S, Op::kInputs, functions::shared_inputs<Op>()> row(params, index);
    op(row);
  }
}

template <class Op, class S>
class RowLoop {
 public:
  // The kernel's entry in the slot's table.
  static void run(const functions::RowArgs& args) {
    if (args.rows == 0 || args.length == 0) return;
    RowParams params = {args.rows, args.length, args.inner, {}};
    std::copy_n(args.operands, functions::kMaxRowOperands, params.operands);
    catena::cuda::launch(
        &row_kernel<Op, S>, std::min<int64_t>(args.rows, 1 << 20), kRowThreads,
        args.device.index(), *static_cast<const Op*>(args.op), params);
  }
};

}  // namespace catena::kernels::CATENA_BACKEND
