#pragma once

// The CPU's reduction loops: one functor over contiguous rows, compiled once
// per instruction set.

#include <algorithm>
#include <cstdint>

#include "catena/array/cpu/arg_extreme_row.h"
#include "catena/array/cpu/deviations_row.h"
#include "catena/array/cpu/reduce_rows.h"
#include "catena/array/cpu/reduction_row.h"
#include "catena/array/reduction.h"

namespace catena::kernels::CATENA_BACKEND {

template <class Op, class T>
class ReductionLoop {
 public:
  // The kernel as the slot's table holds it.
  static void run(const ReduceArgs& args) { run_reduction(args, kKernel); }

 private:
  using State = typename Op::template State<T>;
  using Result = typename Op::template Result<T>;
  static_assert(sizeof(State) <= kMaxStateSize);

  static void start(void* states, int64_t n) {
    std::fill_n(static_cast<State*>(states), n, Op::template identity<State>());
  }

  static void rows(const char* data, int64_t row_stride, int64_t rows,
                   int64_t n, int64_t first, void* states) {
    auto* state = static_cast<State*>(states);
    for (int64_t r = 0; r < rows; ++r) {
      const T* row = reinterpret_cast<const T*>(data + r * row_stride);
      state[r] = RowReduction<Op, T>::row(state[r], row, n, first);
    }
  }

  static void columns(const char* data, int64_t row_stride, int64_t rows,
                      int64_t n, int64_t first, void* states) {
    RowReduction<Op, T>::columns(data, row_stride, rows, n, first,
                                 static_cast<State*>(states));
  }

  static void merge(void* states, const void* others, int64_t n) {
    auto* state = static_cast<State*>(states);
    const auto* other = static_cast<const State*>(others);
    for (int64_t i = 0; i < n; ++i) state[i] = Op::combine(state[i], other[i]);
  }

  static void finish(const void* states, int64_t n, int64_t count,
                     char* results) {
    const auto* state = static_cast<const State*>(states);
    auto* result = reinterpret_cast<Result*>(results);
    for (int64_t i = 0; i < n; ++i) {
      result[i] = static_cast<Result>(Op::template finish<T>(state[i], count));
    }
  }

  static constexpr RangeKernel kKernel = {
      start,     rows,          columns,        merge,       finish,
      sizeof(T), sizeof(State), sizeof(Result), Op::kIndexed};
};

}  // namespace catena::kernels::CATENA_BACKEND
