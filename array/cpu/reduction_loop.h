#pragma once

// The CPU's reduction loops: one functor over contiguous rows, compiled once
// per instruction set.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "catena/array/cpu/lanes.h"
#include "catena/array/cpu/reduce_rows.h"
#include "catena/array/dtype.h"
#include "catena/array/reduction.h"
#include "catena/array/reduction_ops.h"

namespace catena::array::CATENA_BACKEND {

// What a row of a few thousand elements is taken into before the state: narrow
// integers are added up in 32 bits, of which a register holds more.
template <class Op, class T>
struct RunTraits {
  using Run = typename Op::template State<T>;
};
template <class Op, class T>
requires std::is_same_v<Op, SumOp> && std::is_integral_v<T> &&
    (sizeof(T) <= 2) struct RunTraits<Op, T> {
  using Run = std::conditional_t<std::is_unsigned_v<T>, uint32_t, int32_t>;
};

// One row of contiguous elements to one state; several rows, side by side, to a
// row of states. This form serves every functor, an element at a time: the
// compiler vectorizes what is exact in any order, integers and truth values.
template <class Op, class T>
struct RowByElements {
  using State = typename Op::template State<T>;
  using Run = typename RunTraits<Op, T>::Run;

  // Chains that sums of doubles are cut into, so that they vectorize.
  static constexpr int kChains = std::is_floating_point_v<Run> ? 32 : 1;

  template <class S>
  static HWY_INLINE S value(const T* row, int64_t i, int64_t position) {
    return static_cast<S>(
        Op::template map<T>(static_cast<ComputeOf<T>>(row[i]), position));
  }

  // The state with the n elements of the row taken into it.
  static HWY_INLINE State row(State state, const T* p, int64_t n,
                              int64_t first) {
    int64_t i = 0;
    if constexpr (kChains > 1) {
      Run chains[kChains];
      std::fill_n(chains, kChains, Op::template identity<Run>());
      for (; i + kChains <= n; i += kChains) {
        for (int k = 0; k < kChains; ++k) {
          chains[k] = Op::combine(chains[k], value<Run>(p, i + k, first));
        }
      }
      for (int half = kChains / 2; half > 0; half /= 2) {
        for (int k = 0; k < half; ++k) {
          chains[k] = Op::combine(chains[k], chains[k + half]);
        }
      }
      state = Op::combine(state, static_cast<State>(chains[0]));
    }
    auto run = Op::template identity<Run>();
    for (; i < n; ++i) run = Op::combine(run, value<Run>(p, i, first + i));
    return Op::combine(state, static_cast<State>(run));
  }

  static HWY_INLINE void columns(const char* data, int64_t row_stride,
                                 int64_t rows, int64_t n, int64_t first,
                                 State* states) {
    for (int64_t r = 0; r < rows; ++r) {
      const T* row = reinterpret_cast<const T*>(data + r * row_stride);
      for (int64_t j = 0; j < n; ++j) {
        states[j] = Op::combine(states[j], value<State>(row, j, first + r));
      }
    }
  }
};

template <class Op, class T>
struct RowReduction : RowByElements<Op, T> {};

// Functors whose values are the elements themselves, floats, take lanes. A few
// registers of values are combined before they are taken into the state, which
// may be wider.
template <class Op, class T>
requires std::is_same_v<typename Op::template Value<T>, ComputeOf<T>> &&
    std::is_floating_point_v<ComputeOf<T>>
struct RowReduction<Op, T> {
  using Value = ComputeOf<T>;
  using State = typename Op::template State<T>;
  using Values = Lanes<Value>;
  using States = Lanes<State>;

  static constexpr int64_t kStep = kLanes<Value>;
  // Registers of states to one of values.
  static constexpr int kParts = kLanes<Value> / kLanes<State>;
  // Registers of values that are combined, and how many such groups a step of
  // the loop takes: enough independent work to hide latencies.
  static constexpr int kGroup = std::is_same_v<Value, State> ? 2 : 4;
  static constexpr int kGroups = 8 / kGroup;

  static HWY_INLINE Values load(const T* p) { return LaneMemory<T>::load(p); }

  template <int count>
  static HWY_INLINE Values load_group(const T* p) {
    if constexpr (count == 1) {
      return load(p);
    } else {
      return Op::combine(load_group<count / 2>(p),
                         load_group<count / 2>(p + count / 2 * kStep));
    }
  }

  struct Accumulator {
    States parts[kParts];

    HWY_INLINE Accumulator() {
      for (States& part : parts) part = States(Op::template identity<State>());
    }
    HWY_INLINE void take(Values x) {
      if constexpr (std::is_same_v<Value, State>) {
        parts[0] = Op::combine(parts[0], x);
      } else {
        parts[0] = Op::combine(parts[0], lanes_widen_lower(x));
        if constexpr (kParts == 2) {
          parts[1] = Op::combine(parts[1], lanes_widen_upper(x));
        }
      }
    }
    HWY_INLINE void merge(const Accumulator& other) {
      for (int k = 0; k < kParts; ++k) {
        parts[k] = Op::combine(parts[k], other.parts[k]);
      }
    }
    HWY_INLINE State across_lanes() const {
      States all = parts[0];
      if constexpr (kParts == 2) all = Op::combine(all, parts[1]);
      const auto combine = [](States a, States b)
                               HWY_ATTR { return Op::combine(a, b); };
      return hn::GetLane(lanes_across(all, combine).v);
    }
  };

  static HWY_INLINE State row(State state, const T* p, int64_t n, int64_t) {
    Accumulator accumulators[kGroups];
    int64_t i = 0;
    for (; i + 8 * kStep <= n; i += 8 * kStep) {
      for (int g = 0; g < kGroups; ++g) {
        accumulators[g].take(load_group<kGroup>(p + i + g * kGroup * kStep));
      }
    }
    if (i > 0) {
      for (int g = 1; g < kGroups; ++g) accumulators[0].merge(accumulators[g]);
    }
    const Values identity(Op::template identity<Value>());
    Values rest = identity;
    for (; i + kStep <= n; i += kStep) rest = Op::combine(rest, load(p + i));
    if (i < n) {
      rest =
          Op::combine(rest, LaneMemory<T>::load_some(p + i, n - i, identity));
    }
    accumulators[0].take(rest);
    return Op::combine(state, accumulators[0].across_lanes());
  }

  // `count` rows into the states, in the same order in every column.
  template <int count>
  static HWY_INLINE void take_rows(const char* data, int64_t row_stride,
                                   int64_t n, State* states) {
    const T* rows[count];
    for (int r = 0; r < count; ++r) {
      rows[r] = reinterpret_cast<const T*>(data + r * row_stride);
    }
    int64_t j = 0;
    for (; j + kStep <= n; j += kStep) {
      take_values<count>([&](int r) HWY_ATTR { return load(rows[r] + j); },
                         states + j);
    }
    if (j == n) return;
    const Values padding(Op::template identity<Value>());
    alignas(64) State last[kStep];
    std::memcpy(last, states + j, (n - j) * sizeof(State));
    take_values<count>(
        [&](int r) HWY_ATTR {
          return LaneMemory<T>::load_some(rows[r] + j, n - j, padding);
        },
        last);
    std::memcpy(states + j, last, (n - j) * sizeof(State));
  }

  template <int count, class Load>
  static HWY_INLINE void take_values(Load load, State* states) {
    Values x = load(0);
    if constexpr (count == 4) {
      x = Op::combine(Op::combine(x, load(1)), Op::combine(load(2), load(3)));
    }
    Accumulator accumulator;
    for (int k = 0; k < kParts; ++k) {
      accumulator.parts[k] =
          States(hn::LoadU(Tag<State>(), states + k * kLanes<State>));
    }
    accumulator.take(x);
    for (int k = 0; k < kParts; ++k) {
      hn::StoreU(accumulator.parts[k].v, Tag<State>(),
                 states + k * kLanes<State>);
    }
  }

  static HWY_INLINE void columns(const char* data, int64_t row_stride,
                                 int64_t rows, int64_t n, int64_t,
                                 State* states) {
    int64_t r = 0;
    for (; r + 4 <= rows; r += 4) {
      take_rows<4>(data + r * row_stride, row_stride, n, states);
    }
    for (; r < rows; ++r) {
      take_rows<1>(data + r * row_stride, row_stride, n, states);
    }
  }
};

// Positions of extreme elements.
template <class Order, class T>
struct RowReduction<ArgExtremeOp<Order>, T> {
  using Op = ArgExtremeOp<Order>;
  using Value = ComputeOf<T>;
  using State = Indexed<Value>;

  // The extreme of the row is found first, then looked up, if it is better than
  // what came before.
  static HWY_INLINE State row(State state, const T* p, int64_t n,
                              int64_t first) {
    using Extreme = ExtremeOp<Order>;
    const Value extreme = RowReduction<Extreme, T>::row(
        Extreme::template identity<Value>(), p, n, 0);
    const State best = Op::combine(state, State{extreme, first});
    return best.index == first ? State{extreme, first + find(p, n, extreme)}
                               : state;
  }

  // The first element equal to the extreme one; when that is NaN, the first
  // NaN.
  static HWY_INLINE int64_t find(const T* p, int64_t n, Value extreme) {
    if constexpr (std::is_floating_point_v<Value>) {
      const Lanes<Value> wanted(extreme);
      for (int64_t i = 0; i < n; i += kLanes<Value>) {
        const auto x = i + kLanes<Value> <= n
                           ? LaneMemory<T>::load(p + i)
                           : LaneMemory<T>::load_some(p + i, n - i, wanted);
        const int64_t found = lanes_find_first(x == wanted || x != x);
        if (found >= 0) return i + found;
      }
    } else {
      for (int64_t i = 0; i < n; ++i) {
        if (p[i] == extreme) return i;
      }
    }
    return n;  // n is 0
  }

  // Values and positions apart, and positions as narrow as elements, so that
  // the compiler vectorizes.
  static HWY_INLINE void columns(const char* data, int64_t row_stride,
                                 int64_t rows, int64_t n, int64_t first,
                                 State* states) {
    constexpr int64_t kColumns = 1024;
    constexpr int64_t kRows = 128;
    using Offset = std::conditional_t<
        sizeof(Value) == 1, uint8_t,
        std::conditional_t<
            sizeof(Value) == 2, uint16_t,
            std::conditional_t<sizeof(Value) == 4, uint32_t, uint64_t>>>;
    Value best[kColumns];
    Offset offsets[kColumns];
    for (int64_t column = 0; column < n; column += kColumns) {
      const int64_t width = n - column < kColumns ? n - column : kColumns;
      for (int64_t begin = 0; begin < rows; begin += kRows) {
        const int64_t end = rows - begin < kRows ? rows : begin + kRows;
        const auto row = [&](int64_t r) {
          return reinterpret_cast<const T*>(data + r * row_stride) + column;
        };
        const T* p = row(begin);
        for (int64_t j = 0; j < width; ++j) {
          best[j] = static_cast<Value>(p[j]);
          offsets[j] = 0;
        }
        for (int64_t r = begin + 1; r < end; ++r) {
          p = row(r);
          const auto offset = static_cast<Offset>(r - begin);
          for (int64_t j = 0; j < width; ++j) {
            const auto x = static_cast<Value>(p[j]);
            const bool takes_x = Order::is_better(x, best[j]) |
                                 ((x != x) & (best[j] == best[j]));
            best[j] = takes_x ? x : best[j];
            offsets[j] = takes_x ? offset : offsets[j];
          }
        }
        for (int64_t j = 0; j < width; ++j) {
          const State state{best[j],
                            first + begin + static_cast<int64_t>(offsets[j])};
          states[column + j] = Op::combine(states[column + j], state);
        }
      }
    }
  }
};

// Squared distances from the mean, of floats: while a range is in the cache, a
// first pass finds about its mean and a second one adds up distances from that
// and their squares, which what is left of the mean then corrects.
template <class T>
struct DeviationsOfFloats {
  using Value = ComputeOf<T>;
  using Values = Lanes<Value>;
  static constexpr int64_t kStep = kLanes<Value>;

  static HWY_INLINE Moments moments(double n, double about, double sum,
                                    double squares) {
    return {n, about + sum / n, squares - sum * sum / n};
  }

  static HWY_INLINE Moments row(Moments state, const T* p, int64_t n, int64_t) {
    if (n == 0) return state;
    const auto count = static_cast<double>(n);
    const double about = RowReduction<SumOp, T>::row(0, p, n, 0) / count;
    const auto center = static_cast<Value>(about);
    const Values centers(center);
    constexpr int kChains = 4;
    Values sums[kChains];
    Values squares[kChains];
    for (int k = 0; k < kChains; ++k) sums[k] = squares[k] = Values(Value(0));
    const auto take = [&](int k, Values x) HWY_ATTR {
      const Values d = x - centers;
      sums[k] = sums[k] + d;
      squares[k] = squares[k] + d * d;
    };
    int64_t i = 0;
    for (; i + kChains * kStep <= n; i += kChains * kStep) {
      for (int k = 0; k < kChains; ++k) {
        take(k, LaneMemory<T>::load(p + i + k * kStep));
      }
    }
    for (; i + kStep <= n; i += kStep) take(0, LaneMemory<T>::load(p + i));
    if (i < n) take(1, LaneMemory<T>::load_some(p + i, n - i, centers));
    alignas(64) Value lanes[2][kStep];
    hn::StoreU(((sums[0] + sums[1]) + (sums[2] + sums[3])).v, Tag<Value>(),
               lanes[0]);
    hn::StoreU(((squares[0] + squares[1]) + (squares[2] + squares[3])).v,
               Tag<Value>(), lanes[1]);
    double sum = 0;
    double square = 0;
    for (int64_t j = 0; j < kStep; ++j) {
      sum += static_cast<double>(lanes[0][j]);
      square += static_cast<double>(lanes[1][j]);
    }
    return SquaredDeviationsOp::combine(
        state, moments(count, static_cast<double>(center), sum, square));
  }

  // Rows and columns at a time: their elements fit the second cache.
  static constexpr int64_t kRows = 64;
  static constexpr int64_t kColumns = 512;

  static HWY_INLINE void columns(const char* data, int64_t row_stride,
                                 int64_t rows, int64_t n, int64_t,
                                 Moments* states) {
    for (int64_t begin = 0; begin < rows; begin += kRows) {
      const int64_t height = rows - begin < kRows ? rows - begin : kRows;
      for (int64_t column = 0; column < n; column += kColumns) {
        const int64_t width = n - column < kColumns ? n - column : kColumns;
        block(data + begin * row_stride +
                  column * static_cast<int64_t>(sizeof(T)),
              row_stride, height, width, states + column);
      }
    }
  }

 private:
  static HWY_INLINE void block(const char* data, int64_t row_stride,
                               int64_t rows, int64_t n, Moments* states) {
    alignas(64) Value centers[kColumns];
    alignas(64) Value sums[kColumns];
    alignas(64) Value squares[kColumns];
    const Tag<Value> tag;
    const auto in_memory = [&](Value* p)
                               HWY_ATTR { return Values(hn::Load(tag, p)); };
    const auto row = [&](int64_t r) {
      return reinterpret_cast<const T*>(data + r * row_stride);
    };
    const Values zeros(Value(0));
    const Values share(Value(1) / static_cast<Value>(rows));
    for (int64_t j = 0; j < n; j += kStep) {
      hn::Store(zeros.v, tag, sums + j);
      hn::Store(zeros.v, tag, squares + j);
    }
    for_each_group(row, rows, [&](const auto& group) HWY_ATTR {
      for_each_step(group, n, [&](int64_t j, const auto& x) HWY_ATTR {
        Values sum = in_memory(sums + j);
        for (const Values& value : x) sum = sum + value;
        hn::Store(sum.v, tag, sums + j);
      });
    });
    for (int64_t j = 0; j < n; j += kStep) {
      hn::Store((in_memory(sums + j) * share).v, tag, centers + j);
      hn::Store(zeros.v, tag, sums + j);
    }
    for_each_group(row, rows, [&](const auto& group) HWY_ATTR {
      for_each_step(group, n, [&](int64_t j, const auto& x) HWY_ATTR {
        const Values center = in_memory(centers + j);
        Values sum = in_memory(sums + j);
        Values square = in_memory(squares + j);
        for (const Values& value : x) {
          const Values d = value - center;
          sum = sum + d;
          square = square + d * d;
        }
        hn::Store(sum.v, tag, sums + j);
        hn::Store(square.v, tag, squares + j);
      });
    });
    const auto count = static_cast<double>(rows);
    for (int64_t j = 0; j < n; ++j) {
      states[j] = SquaredDeviationsOp::combine(
          states[j], moments(count, static_cast<double>(centers[j]),
                             static_cast<double>(sums[j]),
                             static_cast<double>(squares[j])));
    }
  }

  // take(addresses of four rows), then of the rest one by one.
  template <class Row, class Take>
  static HWY_INLINE void for_each_group(Row row, int64_t rows, Take take) {
    int64_t r = 0;
    for (; r + 4 <= rows; r += 4) {
      const T* const four[] = {row(r), row(r + 1), row(r + 2), row(r + 3)};
      take(four);
    }
    for (; r < rows; ++r) {
      const T* const one[] = {row(r)};
      take(one);
    }
  }

  // take(j, elements of each row from j on) for every register of the rows.
  template <size_t count, class Take>
  static HWY_INLINE void for_each_step(const T* const (&rows)[count], int64_t n,
                                       Take take) {
    Values x[count];
    int64_t j = 0;
    for (; j + kStep <= n; j += kStep) {
      for (size_t r = 0; r < count; ++r)
        x[r] = LaneMemory<T>::load(rows[r] + j);
      take(j, x);
    }
    if (j == n) return;
    for (size_t r = 0; r < count; ++r) {
      x[r] = LaneMemory<T>::load_some(rows[r] + j, n - j, Values(Value(0)));
    }
    take(j, x);
  }
};

// Integers and bool are widened a block at a time.
template <class T>
struct DeviationsOfIntegers {
  static constexpr int64_t kRows = 16;
  static constexpr int64_t kColumns = 256;

  static HWY_INLINE Moments row(Moments state, const T* p, int64_t n,
                                int64_t first) {
    double wide[kRows * kColumns];
    for (int64_t begin = 0; begin < n; begin += kRows * kColumns) {
      const int64_t rest = n - begin;
      const int64_t count = rest < kRows * kColumns ? rest : kRows * kColumns;
      for (int64_t i = 0; i < count; ++i) {
        wide[i] = static_cast<double>(p[begin + i]);
      }
      state = DeviationsOfFloats<double>::row(state, wide, count, first);
    }
    return state;
  }

  static HWY_INLINE void columns(const char* data, int64_t row_stride,
                                 int64_t rows, int64_t n, int64_t first,
                                 Moments* states) {
    double wide[kRows * kColumns];
    for (int64_t column = 0; column < n; column += kColumns) {
      const int64_t width = n - column < kColumns ? n - column : kColumns;
      for (int64_t begin = 0; begin < rows; begin += kRows) {
        const int64_t height = rows - begin < kRows ? rows - begin : kRows;
        for (int64_t r = 0; r < height; ++r) {
          const T* p =
              reinterpret_cast<const T*>(data + (begin + r) * row_stride) +
              column;
          for (int64_t j = 0; j < width; ++j) {
            wide[r * width + j] = static_cast<double>(p[j]);
          }
        }
        DeviationsOfFloats<double>::columns(
            reinterpret_cast<const char*>(wide),
            width * static_cast<int64_t>(sizeof(double)), height, width, first,
            states + column);
      }
    }
  }
};

template <class T>
struct RowReduction<SquaredDeviationsOp, T>
    : std::conditional_t<kIsFloatStorage<T>, DeviationsOfFloats<T>,
                         DeviationsOfIntegers<T>> {};

template <class Op, class T>
class ReductionLoop {
 public:
  // The kernel as the slot's table holds it.
  static void run(const ReduceArgs& args) { cpu::run_reduction(args, kKernel); }

 private:
  using State = typename Op::template State<T>;
  using Result = typename Op::template Result<T>;
  static_assert(sizeof(State) <= cpu::kMaxStateSize);

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

  static constexpr cpu::RangeKernel kKernel = {
      start,     rows,          columns,        merge,       finish,
      sizeof(T), sizeof(State), sizeof(Result), Op::kIndexed};
};

}  // namespace catena::array::CATENA_BACKEND
