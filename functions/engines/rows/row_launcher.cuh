#pragma once

// CUDA row kernels: the same functors as the CPU's RowLoop (row_loop.h), with
// one thread block per row, or, where neighbouring elements are of different
// rows, with neighbouring lanes for neighbouring rows.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <utility>

#include "catena/array/cuda/element.cuh"
#include "catena/array/cuda/fast_divider.h"
#include "catena/cuda/launch.h"
#include "catena/functions/engines/rows/row_args.h"

namespace catena::kernels::CATENA_BACKEND {

inline constexpr int kRowThreads = 128;
inline constexpr int kRowWarp = 32;

// The operands' layout; see RowArgs.
struct RowParams {
  int64_t rows;
  int64_t length;
  int64_t inner;
  catena::cuda::IndexDivider by_inner;
  char* operands[functions::kMaxRowOperands];
};

// The threads of a row are a block's.
struct BlockOfRow {
  static CATENA_HOST_DEVICE int64_t own() {
#ifdef __CUDA_ARCH__
    return threadIdx.x;
#else
    return 0;  // not run on the host, but functors are compiled for both
#endif
  }
  static CATENA_HOST_DEVICE int64_t count() { return kRowThreads; }

  // Combines the states of all threads in a fixed order; every thread gets the
  // result.
  template <class Value, class Combine>
  CATENA_HOST_DEVICE Value combine(Value state,
                                   [[maybe_unused]] Combine f) const {
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
};

// The threads of a row are some lanes of a warp, a power of two, between which
// there are those of its neighbours. Rows do not wait for each other, since a
// functor may return early.
class LanesOfRow {
 public:
  CATENA_HOST_DEVICE LanesOfRow(int lane, int rows_per_warp)
      : rows_per_warp_(rows_per_warp),
        row_(lane % rows_per_warp),
        own_(lane / rows_per_warp) {}

  CATENA_HOST_DEVICE int row() const { return row_; }
  CATENA_HOST_DEVICE int64_t own() const { return own_; }
  CATENA_HOST_DEVICE int64_t count() const { return kRowWarp / rows_per_warp_; }

  template <class Value, class Combine>
  CATENA_HOST_DEVICE Value combine(Value state,
                                   [[maybe_unused]] Combine f) const {
#ifdef __CUDA_ARCH__
    uint32_t mask = 0;
    for (int lane = row_; lane < kRowWarp; lane += rows_per_warp_) {
      mask |= uint32_t{1} << lane;
    }
    for (int step = rows_per_warp_; step < kRowWarp; step *= 2) {
      const Value other = __shfl_xor_sync(mask, state, step);
      const bool is_first = (own_ * rows_per_warp_ & step) == 0;
      state = is_first ? f(state, other) : f(other, state);
    }
#endif
    return state;
  }

 private:
  int rows_per_warp_;
  int row_;
  int own_;
};

// A functor's view of a row; row_loop.h documents the members. Each thread
// processes the elements at its index plus multiples of their number, and so
// changes only what it wrote itself.
template <class S, int inputs, int shared, class Threads>
class Row : private Threads {
 public:
  using Stored = S;
  using Element = catena::cuda::Compute<S>;
  using Value = Element;
  static constexpr bool kIsOne = true;

  // `start` is the position of the row's first element.
  CATENA_HOST_DEVICE Row(const RowParams& params, int64_t index, int64_t start,
                         const Threads& threads, int64_t chunk = 0)
      : Threads(threads),
        params_(params),
        length_(params.length),
        index_(index),
        start_(start),
        chunk_(chunk) {}

  CATENA_HOST_DEVICE int64_t length() const { return length_; }
  // What was written to global memory takes longer to read than to compute.
  static CATENA_HOST_DEVICE constexpr bool is_long() { return true; }
  CATENA_HOST_DEVICE int64_t index() const { return index_; }

  template <class F>
  CATENA_HOST_DEVICE Value max(F f) const {
    const auto larger = [](Value a, Value b) {
      return a > b || a != a ? a : b;
    };
    Value state = -std::numeric_limits<Value>::infinity();
    for (int64_t i = Threads::own(); i < length(); i += Threads::count()) {
      state = larger(state, load(i, f, Inputs()));
    }
    return Threads::combine(state, larger);
  }
  template <class F>
  CATENA_HOST_DEVICE Value sum(F f) const {
    Value state(0);
    for (int64_t i = Threads::own(); i < length(); i += Threads::count()) {
      state += load(i, f, Inputs());
    }
    return Threads::combine(state, [](Value a, Value b) { return a + b; });
  }
  template <class F, class G>
  CATENA_HOST_DEVICE functions::RowSums<Value> sums(F f, G g) const {
    functions::RowSums<Value> state{Value(0), Value(0)};
    for (int64_t i = Threads::own(); i < length(); i += Threads::count()) {
      state.first += load(i, f, Inputs());
      state.second += load(i, g, Inputs());
    }
    const auto add = [](Value a, Value b) { return a + b; };
    return {Threads::combine(state.first, add),
            Threads::combine(state.second, add)};
  }
  // The sum of many numbers far from zero has a rounding error, which the sum
  // of deviations shows (Chan, Golub and LeVeque, see row_loop.h).
  template <class F>
  CATENA_HOST_DEVICE functions::RowMoments<Value> moments(F f) const {
    const auto count = static_cast<Value>(length());
    const Value near = sum(f) / count;
    const auto deviations = sums([&](auto... x) { return f(x...) - near; },
                                 [&](auto... x) {
                                   const Value deviation = f(x...) - near;
                                   return deviation * deviation;
                                 });
    const Value rest = deviations.first / count;
    const Value variance = deviations.second / count - rest * rest;
    return {near + rest, variance < Value(0) ? Value(0) : variance};
  }
  template <class F>
  CATENA_HOST_DEVICE void store(F f) const {
    for (int64_t i = Threads::own(); i < length(); i += Threads::count()) {
      *output(i) = static_cast<S>(load(i, f, Inputs()));
    }
  }
  template <class F, class G>
  CATENA_HOST_DEVICE void store_except(int64_t element, F f, G g) const {
    store(f);
    if (element % Threads::count() == Threads::own()) {
      *output(element) = static_cast<S>(g(load(element, f, Inputs())));
    }
  }
  template <class Label, class F>
  CATENA_HOST_DEVICE void store_less_at(Label label, F f, Value c) const {
    store_except(label(*this), f, [&](Value y) { return y - c; });
  }
  // The same thread adds what a chunk's rows have in a column.
  template <class F, class G, class H>
  CATENA_HOST_DEVICE void store_and_add(const functions::ColumnSums& sums, F f,
                                        G g, H h) const {
    Value* const first = static_cast<Value*>(sums.data) + chunk_ * 2 * length_;
    for (int64_t i = Threads::own(); i < length(); i += Threads::count()) {
      const Value a = load(i, g, Inputs());
      const Value b = load(i, h, Inputs());
      *output(i) = static_cast<S>(load(i, f, Inputs()));
      first[i] += a;
      first[i + length_] += b;
    }
  }
  template <class F>
  CATENA_HOST_DEVICE Value store_sum(F f) const {
    Value state(0);
    for (int64_t i = Threads::own(); i < length(); i += Threads::count()) {
      const Value x = load(i, f, Inputs());
      *output(i) = static_cast<S>(x);
      state += x;
    }
    return Threads::combine(state, [](Value a, Value b) { return a + b; });
  }
  template <class F>
  CATENA_HOST_DEVICE void update(F f) const {
    for (int64_t i = Threads::own(); i < length(); i += Threads::count()) {
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

  static CATENA_HOST_DEVICE Element number(Value x) { return x; }
  static CATENA_HOST_DEVICE Value value(Element x) { return x; }
  template <class F>
  CATENA_HOST_DEVICE Value value_of(F f) const {
    return f(*this);
  }
  template <class T>
  CATENA_HOST_DEVICE Value read(const T* of_rows) const {
    return static_cast<Element>(of_rows[index_]);
  }
  template <class T>
  CATENA_HOST_DEVICE void write(T* of_rows, Value x) const {
    if (Threads::own() == 0) of_rows[index_] = static_cast<T>(x);
  }

 private:
  using Inputs = std::make_index_sequence<inputs>;

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
  int64_t chunk_;
};

template <class Op, class S, class Threads>
using RowOf = Row<S, Op::kInputs, functions::shared_inputs<Op>(), Threads>;

template <class Op, class S>
__global__ void __launch_bounds__(kRowThreads)
    row_kernel(Op op, RowParams params) {
  for (int64_t index = blockIdx.x; index < params.rows; index += gridDim.x) {
    RowOf<Op, S, BlockOfRow> row(
        params, index,
        index / params.inner * params.length * params.inner +
            index % params.inner,
        {}, blockIdx.x);
    op(row);
  }
}

// Consecutive lanes, warps and blocks have consecutive rows.
template <class Op, class S>
__global__ void __launch_bounds__(kRowThreads)
    apart_row_kernel(Op op, RowParams params, int rows_per_warp) {
  const int thread = static_cast<int>(threadIdx.x);
  const LanesOfRow lanes(thread % kRowWarp, rows_per_warp);
  constexpr int kWarps = kRowThreads / kRowWarp;
  int64_t index =
      (int64_t{blockIdx.x} * kWarps + thread / kRowWarp) * rows_per_warp +
      lanes.row();
  const int64_t step = int64_t{gridDim.x} * kWarps * rows_per_warp;
  for (; index < params.rows; index += step) {
    const int64_t start = index + params.by_inner.divide(index) *
                                      (params.length - 1) * params.inner;
    RowOf<Op, S, LanesOfRow> row(params, index, start, lanes);
    op(row);
  }
}

// How many neighbouring rows share a warp, 0 if each row has a block. Lanes of
// neighbouring rows read memory in one piece, in sectors of 32 bytes: a warp
// needs no more rows than fill a sector, and gives short rows fewer lanes. A
// block for each row suits rows that are long and few. By the shape alone, so
// that sums are the same on every device.
inline int rows_per_warp(const functions::RowArgs& args, int64_t itemsize) {
  constexpr int64_t kSector = 32;
  constexpr int64_t kFewSteps = 16;
  constexpr int64_t kManySteps = 1024;  // sums of so many lose little
  constexpr int64_t kManyThreads = 1 << 15;
  if (args.inner * itemsize < kSector) return 0;
  const int64_t most = kRowWarp * itemsize / kSector;
  const auto lanes = static_cast<int64_t>(std::bit_floor(
      static_cast<uint64_t>(std::clamp<int64_t>(args.length / 2, 1, most))));
  const int64_t steps = (args.length + lanes - 1) / lanes;
  const bool fits = steps <= kFewSteps ||
                    (args.rows * lanes >= kManyThreads && steps <= kManySteps);
  return fits ? static_cast<int>(kRowWarp / lanes) : 0;
}

template <class Op, class S>
class RowLoop {
 public:
  // The kernel's entry in the slot's table.
  static void run(const functions::RowArgs& args) {
    if (args.rows == 0 || args.length == 0) return;
    constexpr int64_t kMaxBlocks = 1 << 20;
    RowParams params = {args.rows,
                        args.length,
                        args.inner,
                        catena::cuda::IndexDivider(args.inner),
                        {}};
    std::copy_n(args.operands, functions::kMaxRowOperands, params.operands);
    const Op& op = *static_cast<const Op*>(args.op);
    const int device = args.device.index();
    const auto launch_blocks = [&](int64_t most) {
      catena::cuda::launch(&row_kernel<Op, S>, std::min(args.rows, most),
                           kRowThreads, device, op, params);
    };
    // A chunk is the rows of a block.
    if constexpr (functions::adds_columns<Op>()) {
      return launch_blocks(args.chunks);
    } else {
      const int shared = rows_per_warp(args, sizeof(S));
      if (shared == 0) return launch_blocks(kMaxBlocks);
      const int64_t per_block = int64_t{shared} * (kRowThreads / kRowWarp);
      const int64_t blocks = (args.rows + per_block - 1) / per_block;
      catena::cuda::launch(&apart_row_kernel<Op, S>,
                           std::min(blocks, kMaxBlocks), kRowThreads, device,
                           op, params, shared);
    }
  }
};

}  // namespace catena::kernels::CATENA_BACKEND
