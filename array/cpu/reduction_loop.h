#pragma once

// The CPU's reduction loops: one functor over contiguous rows, compiled once
// per instruction set.

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "catena/array/core/host_device.h"
#include "catena/array/cpu/arg_extreme_row.h"
#include "catena/array/cpu/deviations_row.h"
#include "catena/array/cpu/reduce_rows.h"
#include "catena/array/cpu/reduction_row.h"
#include "catena/array/kernels/reduction_args.h"

namespace catena::kernels::CATENA_BACKEND {

// The functor whose loops accumulate the states of Op.
template <class Op, class T>
struct AccumulatorOf {
  using type = Op;
};
template <class Op, class T>
requires requires { typename Op::template AccumulatesAs<T>; }
struct AccumulatorOf<Op, T> {
  using type = typename Op::template AccumulatesAs<T>;
};

// The functions of a RangeKernel that know only the states.
template <class Op, class State>
struct StateLoop {
  static void start(void* states, int64_t n) {
    std::fill_n(static_cast<State*>(states), n, Op::template identity<State>());
  }

  static void merge(void* states, const void* others, int64_t n) {
    auto* state = static_cast<State*>(states);
    const auto* other = static_cast<const State*>(others);
    CATENA_IVDEP
    for (int64_t i = 0; i < n; ++i) state[i] = Op::combine(state[i], other[i]);
  }
};

// Most functors share the results that are converted states: their Op is
// ConvertsState.
struct ConvertsState {};
template <class Op, class State, class Result>
struct ResultLoop {
  static void finish(const void* states, int64_t n, int64_t count,
                     char* results) {
    const auto* state = static_cast<const State*>(states);
    auto* result = reinterpret_cast<Result*>(results);
    CATENA_IVDEP
    for (int64_t i = 0; i < n; ++i) {
      result[i] = static_cast<Result>(
          array::finish_reduction<Op, Result>(state[i], count));
    }
  }
};
template <class Op, class State, class Result>
requires(!requires(State s) {
  Op::template finish<Result>(s, 0);
} && !std::is_same_v<Op, ConvertsState>) struct ResultLoop<Op, State, Result>
    : ResultLoop<ConvertsState, State, Result> {
};

template <class Op, class T>
class ReductionLoop {
 public:
  // The kernel as the slot's table holds it.
  static void run(const ReduceArgs& args) { run_reduction(args, kKernel); }

 private:
  using State = typename Op::template State<T>;
  using Result = typename Op::template Result<T>;
  static_assert(sizeof(State) <= kMaxStateSize);
  using Accumulator = typename AccumulatorOf<Op, T>::type;
  using Rows = RangeLoop<Accumulator, T>;
  using States = StateLoop<Accumulator, State>;

  static constexpr RangeKernel kKernel = {States::start,
                                          Rows::rows,
                                          Rows::columns,
                                          States::merge,
                                          ResultLoop<Op, State, Result>::finish,
                                          sizeof(T),
                                          sizeof(State),
                                          sizeof(Result),
                                          Op::kIndexed};
};

}  // namespace catena::kernels::CATENA_BACKEND
