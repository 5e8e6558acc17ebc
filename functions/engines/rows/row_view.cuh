#pragma once

// A functor's view of a row in CUDA row kernels.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "catena/array/kernels/math.h"
#include "catena/cuda/element.cuh"
#include "catena/functions/engines/rows/row_args.h"
#include "catena/functions/engines/rows/row_exp.h"
#include "catena/functions/engines/rows/row_threads.cuh"
#include "catena/functions/engines/rows/row_tile.cuh"

namespace catena::kernels::CATENA_BACKEND {

// The most elements of each input that a thread keeps in registers.
inline constexpr int kKeptElements = 32;
// float64 is not kept: it would take twice the registers and most of the time
// to compile.
template <class S>
inline constexpr bool kCanKeep = sizeof(S) < 8;

// Where a block adds up columns: the first sums, and `step` numbers after them
// the second ones.
template <class Value>
struct ColumnTotals {
  Value* first = nullptr;
  int64_t step = 0;
};

// row_loop.h documents the members. A row that is kept is read once, into
// registers; else each member that needs the elements reads them. A thread
// changes only what it wrote itself.
template <class S, int inputs, int shared, bool kIsKept, bool kIsPacked>
class Row {
 public:
  using Stored = S;
  using Element = catena::cuda::Compute<S>;
  using Value = Element;
  using Memory = RowMemory<S, inputs>;
  static constexpr bool kIsOne = true;

  __device__ __forceinline__ Row(const Memory& memory, int64_t index,
                                 const RowThreads& threads,
                                 const ColumnTotals<Value>& totals = {})
      : memory_(memory),
        index_(index),
        threads_(threads),
        totals_(totals),
        kept_(memory_, threads_, 0) {}
  Row(const Row&) = delete;
  Row& operator=(const Row&) = delete;

  __device__ int64_t length() const { return memory_.length; }
  // What was written to global memory takes longer to read than to compute.
  static __device__ constexpr bool is_long() { return !kIsKept; }
  __device__ int64_t index() const { return index_; }

  // Ignores NaN. Slots without an element have another of the row.
  template <class F>
  __device__ __forceinline__ Value max(F f) const {
    Value state = -std::numeric_limits<Value>::infinity();
    visit([&](int, bool, auto... x) { state = std::fmax(state, f(x...)); });
    return threads_.combine(state,
                            [](Value a, Value b) { return std::fmax(a, b); });
  }
  template <class F>
  __device__ __forceinline__ Value sum(F f) const {
    Value state(0);
    visit([&](int, bool exists, auto... x) {
      const Value y = f(x...);
      state += exists ? y : Value(0);
    });
    return threads_.combine(state, [](Value a, Value b) { return a + b; });
  }
  template <class F, class G>
  __device__ __forceinline__ functions::RowSums<Value> sums(F f, G g) const {
    using Sums = functions::RowSums<Value>;
    Sums state{Value(0), Value(0)};
    visit([&](int, bool exists, auto... x) {
      const Value first = f(x...);
      const Value second = g(x...);
      state.first += exists ? first : Value(0);
      state.second += exists ? second : Value(0);
    });
    return threads_.combine(state, [](const Sums& a, const Sums& b) {
      return Sums{a.first + b.first, a.second + b.second};
    });
  }
  // The sum of many numbers far from zero has a rounding error, which the sum
  // of deviations shows (Chan, Golub and LeVeque, see row_loop.h).
  template <class F>
  __device__ __forceinline__ functions::RowMoments<Value> moments(F f) const {
    const auto count = static_cast<Value>(length());
    const Value near = sum(f) / count;
    const auto deviations = sums([&](auto... x) { return f(x...) - near; },
                                 [&](auto... x) {
                                   const Value deviation = f(x...) - near;
                                   return deviation * deviation;
                                 });
    const Value step = deviations.first / count;
    const Value variance = deviations.second / count - step * step;
    return functions::RowMoments<Value>::around(
        near, step, variance < Value(0) ? Value(0) : variance);
  }
  // Reads a row that is not kept once: sums of exponentials less the maximum so
  // far are rescaled when it grows (Milakov and Gimelshein, "Online normalizer
  // calculation for softmax", 2018).
  __device__ __forceinline__ functions::RowExpSum<Value> exp_sum() const {
    using State = functions::RowExpSum<Value>;
    if constexpr (kIsKept) {
      const Value m = max([](Value x) { return x; });
      const functions::ShiftedExp<Value> exp(m);
      return {m, sum([&](Value x) { return exp.scaled(x); })};
    }
    State state{-std::numeric_limits<Value>::infinity(), Value(0)};
    each_tile([&](const auto& tile) {
      Value m = state.max;
      tile.visit([&](int, bool, Value x) { m = std::fmax(m, x); });
      state.sum *= rescaling(state.max, m);
      state.max = m;
      const functions::ShiftedExp<Value> exp(is_none(m) ? Value(0) : m);
      tile.visit([&](int, bool exists, Value x) {
        const Value y = exp.scaled(x);
        state.sum += exists ? y : Value(0);
      });
    });
    state = threads_.combine(state, [](const State& a, const State& b) {
      const Value m = std::fmax(a.max, b.max);
      return State{m,
                   a.sum * rescaling(a.max, m) + b.sum * rescaling(b.max, m)};
    });
    // NaN for a row without any finite element, as the sum of exp(x - max).
    return {state.max, state.sum + (state.max - state.max)};
  }

  template <class F>
  __device__ __forceinline__ void store(F f) const {
    write_each([&](const auto&, int, bool, auto... x) { return f(x...); });
  }
  template <class F, class G>
  __device__ __forceinline__ void store_except(int64_t element, F f,
                                               G g) const {
    store(f);
    if (!owns(element)) return;
    memory_.first[inputs][element * memory_.step] =
        catena::cuda::narrow<S>(g(f_at(element, f, Inputs())));
  }
  template <class Label, class F>
  __device__ __forceinline__ void store_less_at(Label label, F f,
                                                Value c) const {
    const int64_t element = label(*this);
    each_tile([&](const auto& tile) {
      const int labelled = tile.slot_of(element);
      tile.store([&](int slot, bool, auto... x) {
        const Value y = f(x...);
        return slot == labelled ? y - c : y;
      });
    });
  }
  // The same thread adds what the rows of a team have in a column.
  template <class F, class G, class H>
  __device__ __forceinline__ void store_and_add(const functions::ColumnSums&,
                                                F f, G g, H h) const {
    write_each([&](const auto& tile, int slot, bool exists, auto... x) {
      const Value a = g(x...);
      const Value b = h(x...);
      if (exists) {
        Value* const total = totals_.first + tile.number(slot);
        total[0] += a;
        total[totals_.step] += b;
      }
      return f(x...);
    });
  }
  template <class F>
  __device__ __forceinline__ Value store_sum(F f) const {
    Value state(0);
    const auto keep = [&](const auto&, int slot, bool exists, auto... x) {
      const Value y = f(x...);
      state += exists ? y : Value(0);
      if constexpr (kIsKept) keep_result(slot, y);
      return y;
    };
    if constexpr (kIsKept) {
      visit([&](int slot, bool exists, auto... x) {
        keep(kept_, slot, exists, x...);
      });
    } else {
      write_each(keep);
    }
    return threads_.combine(state, [](Value a, Value b) { return a + b; });
  }
  template <class F>
  __device__ __forceinline__ void update(F f) const {
    if constexpr (kIsKept) {
      write_each([&](const auto&, int slot, bool, auto...) {
        return f(result(slot));
      });
    } else {
      S* const output = memory_.first[inputs];
      const RowMemory<S, 1> written = {
          {output, output}, length(), memory_.step};
      Row<S, 1, 0, kIsKept, kIsPacked>(written, index_, threads_).store(f);
    }
  }

  // The elements [begin, end) as a row, which is not kept.
  __device__ __forceinline__ Row<S, inputs, shared, false, false> part(
      int64_t begin, int64_t end) const {
    Memory memory = memory_;
#pragma unroll
    for (int k = 0; k <= inputs; ++k) {
      if (memory.first[k] != nullptr) memory.first[k] += begin * step_of(k);
    }
    memory.length = end - begin;
    return {memory, index_, threads_};
  }

  __device__ Element at(int64_t i, int input = 0) const {
    return catena::cuda::widen(memory_.first[input][i * step_of(input)]);
  }

  static __device__ Element number(Value x) { return x; }
  static __device__ Value value(Element x) { return x; }
  template <class F>
  __device__ __forceinline__ Value value_of(F f) const {
    return f(*this);
  }
  template <class T>
  __device__ Value read(const T* of_rows) const {
    return static_cast<Element>(catena::cuda::widen(of_rows[index_]));
  }
  template <class T>
  __device__ void write(T* of_rows, Value x) const {
    if (threads_.own() == 0) of_rows[index_] = catena::cuda::narrow<T>(x);
  }

 private:
  using Inputs = std::make_index_sequence<inputs>;
  static constexpr int kPack = catena::cuda::kWidestPack<S>;
  // At least so many loads of a thread are in flight if the row is not kept.
  static constexpr int kLoads = 4;
  static constexpr int kLoadsOfChunk =
      (inputs - shared) * (kIsPacked ? 1 : kPack);
  static constexpr int kChunks =
      kIsKept ? kKeptElements / kPack : std::max(1, kLoads / kLoadsOfChunk);
  using Tile = RowTile<S, inputs, shared, kIsPacked, kChunks>;

  struct NothingKept {
    __device__ NothingKept(const Memory&, const RowThreads&, int64_t) {}
  };
  using Kept = std::conditional_t<kIsKept, Tile, NothingKept>;

  static __device__ bool is_none(Value max) {
    return max == -std::numeric_limits<Value>::infinity();
  }
  static __device__ Value rescaling(Value from, Value to) {
    return is_none(from) ? Value(0) : math::exp(from - to);
  }

  // In the place of elements of the same type: they would stay in registers.
  static constexpr bool kInPlace = std::is_same_v<S, Element>;
  __device__ __forceinline__ void keep_result(int slot, Value y) const {
    if constexpr (kInPlace) {
      kept_.element(slot) = y;
    } else {
      results_[slot] = y;
    }
  }
  __device__ __forceinline__ Value result(int slot) const {
    if constexpr (kInPlace) {
      return kept_.element(slot);
    } else {
      return results_[slot];
    }
  }

  template <class F>
  __device__ __forceinline__ void each_tile(F f) const {
    if constexpr (kIsKept) {
      f(kept_);
    } else {
      const int64_t step = int64_t{Tile::kSlots} << threads_.log_count();
      for (int64_t begin = 0; begin < memory_.length; begin += step) {
        f(Tile(memory_, threads_, begin));
      }
    }
  }
  template <class F>
  __device__ __forceinline__ void visit(F f) const {
    each_tile([&](const auto& tile) { tile.visit(f); });
  }
  // Writes f of the tile, the slot, whether it exists, and its elements.
  template <class F>
  __device__ __forceinline__ void write_each(F f) const {
    each_tile([&](const auto& tile) {
      tile.store([&](int slot, bool exists, auto... x) {
        return f(tile, slot, exists, x...);
      });
    });
  }

  __device__ int64_t step_of(int k) const {
    return k < inputs && k >= inputs - shared ? 1 : memory_.step;
  }
  __device__ bool owns(int64_t element) const {
    const int64_t item = kIsPacked ? element / kPack : element;
    return item % threads_.count() == threads_.own();
  }
  template <class F, size_t... k>
  __device__ Value f_at(int64_t i, F f, std::index_sequence<k...>) const {
    return f(at(i, k)...);
  }

  const Memory memory_;
  const int64_t index_;
  const RowThreads threads_;
  const ColumnTotals<Value> totals_;
  mutable Kept kept_;
  mutable Value results_[kIsKept && !kInPlace ? kKeptElements : 1];
};

}  // namespace catena::kernels::CATENA_BACKEND
