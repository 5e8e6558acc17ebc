#pragma once

// Accumulation of a row of elements into the state of a reduction: element by
// element or, if values are floats, in SIMD registers.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "catena/array/core/dtype.h"
#include "catena/array/core/host_device.h"
#include "catena/array/cpu/lanes.h"
#include "catena/array/cpu/reduce_rows.h"
#include "catena/array/kernels/reduction_ops.h"

namespace catena::kernels::CATENA_BACKEND {

// The accumulator for a row of a few thousand elements, before the state:
// narrow integers are summed in 32 bits, since a register holds more of these.
template <class Op, class T>
struct RunTraits {
  using Run = typename Op::template State<T>;
};
template <class Op, class T>
requires std::is_same_v<Op, SumOp> && std::is_integral_v<T> &&
    (sizeof(T) <= 2) struct RunTraits<Op, T> {
  using Run = std::conditional_t<std::is_unsigned_v<T>, uint32_t, int32_t>;
};

// Reduces one row of contiguous elements to one state, or several rows to a row
// of states. Works for every functor, element by element; the compiler
// vectorizes integers and truth values, which are exact in any order.
template <class Op, class T>
struct RowByElements {
  using State = typename Op::template State<T>;
  using Run = typename RunTraits<Op, T>::Run;

  // Sums of doubles use several independent chains, so that they vectorize.
  static constexpr int kChains = std::is_floating_point_v<Run> ? 32 : 1;

  template <class S>
  static HWY_INLINE S value(const T* row, int64_t i, int64_t position) {
    return static_cast<S>(
        Op::template map<T>(static_cast<ComputeOf<T>>(row[i]), position));
  }

  // Returns the state with the n elements of the row accumulated.
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
      CATENA_IVDEP
      for (int64_t j = 0; j < n; ++j) {
        states[j] = Op::combine(states[j], value<State>(row, j, first + r));
      }
    }
  }
};

template <class Op, class T>
struct RowReduction : RowByElements<Op, T> {};

// The functions of a RangeKernel that read elements.
template <class Op, class T>
struct RangeLoop {
  using State = typename Op::template State<T>;

  static HWY_NOINLINE void rows(const char* data, int64_t row_stride,
                                int64_t rows, int64_t n, int64_t first,
                                void* states) {
    auto* state = static_cast<State*>(states);
    for (int64_t r = 0; r < rows; ++r) {
      const T* row = reinterpret_cast<const T*>(data + r * row_stride);
      state[r] = RowReduction<Op, T>::row(state[r], row, n, first);
    }
  }

  static HWY_NOINLINE void columns(const char* data, int64_t row_stride,
                                   int64_t rows, int64_t n, int64_t first,
                                   void* states) {
    RowReduction<Op, T>::columns(data, row_stride, rows, n, first,
                                 static_cast<State*>(states));
  }
};

// Converts n elements of storage type T.
template <class T, class Wide>
HWY_NOINLINE void convert_elements(const char* data, int64_t n, Wide* wide) {
  if constexpr (std::is_same_v<ComputeOf<T>, Wide>) {
    widen_elements<T>(data, n, wide);
  } else {
    const T* p = reinterpret_cast<const T*>(data);
    CATENA_IVDEP
    for (int64_t i = 0; i < n; ++i) wide[i] = static_cast<Wide>(p[i]);
  }
}

// Elements that are converted to Wide, a block at a time, and accumulated by
// the loop of Wide. The code is the same for all functors and types.
template <class Wide>
struct ConvertedBlocks {
  // Rounding depends on how doubles are divided.
  static constexpr bool kIsDouble = std::is_same_v<Wide, double>;
  static constexpr int64_t kRows = kIsDouble ? 16 : 64;
  static constexpr int64_t kColumns = kIsDouble ? 256 : 64;

  // Elements of `item_size` bytes.
  void (*convert)(const char* data, int64_t n, Wide* wide);
  int64_t item_size;
  decltype(RangeKernel::rows) wide_rows;
  decltype(RangeKernel::columns) wide_columns;
  int64_t state_size;

  HWY_NOINLINE void row(const char* data, int64_t n, int64_t first,
                        void* state) const {
    Wide wide[kRows * kColumns];
    for (int64_t begin = 0; begin < n; begin += kRows * kColumns) {
      const int64_t count = std::min(n - begin, kRows * kColumns);
      convert(data + begin * item_size, count, wide);
      wide_rows(reinterpret_cast<const char*>(wide), 0, 1, count, first + begin,
                state);
    }
  }

  HWY_NOINLINE void columns(const char* data, int64_t row_stride, int64_t rows,
                            int64_t n, int64_t first, void* states) const {
    Wide wide[kRows * kColumns];
    for (int64_t column = 0; column < n; column += kColumns) {
      const int64_t width = std::min(n - column, kColumns);
      for (int64_t begin = 0; begin < rows; begin += kRows) {
        const int64_t height = std::min(rows - begin, kRows);
        for (int64_t r = 0; r < height; ++r) {
          convert(data + (begin + r) * row_stride + column * item_size, width,
                  wide + r * width);
        }
        wide_columns(reinterpret_cast<const char*>(wide),
                     width * static_cast<int64_t>(sizeof(Wide)), height, width,
                     first + begin,
                     static_cast<char*>(states) + column * state_size);
      }
    }
  }
};

template <class Op, class T, class Wide>
struct RowByConversion {
  using State = typename Op::template State<T>;
  static_assert(std::is_same_v<State, typename Op::template State<Wide>>);
  static constexpr ConvertedBlocks<Wide> kBlocks = {
      convert_elements<T, Wide>, sizeof(T), RangeLoop<Op, Wide>::rows,
      RangeLoop<Op, Wide>::columns, sizeof(State)};

  static HWY_INLINE State row(State state, const T* p, int64_t n,
                              int64_t first) {
    kBlocks.row(reinterpret_cast<const char*>(p), n, first, &state);
    return state;
  }

  static HWY_INLINE void columns(const char* data, int64_t row_stride,
                                 int64_t rows, int64_t n, int64_t first,
                                 State* states) {
    kBlocks.columns(data, row_stride, rows, n, first, states);
  }
};

// float16, which scalars take long to convert, if the functor does not use
// lanes.
template <class Op, class T>
requires(std::is_same_v<T, float16> &&
         !std::is_same_v<typename Op::template Value<T>,
                         float>) struct RowReduction<Op, T>
    : RowByConversion<Op, T, float> {
};

// Functors whose values and elements are floats use lanes. A few registers of
// values are combined before they are accumulated into the state, which may be
// wider.
template <class Op, class T>
requires std::is_same_v<typename Op::template Value<T>, ComputeOf<T>> &&
    std::is_floating_point_v<ComputeOf<T>>
struct RowReduction<Op, T> {
  using Value = ComputeOf<T>;
  using State = typename Op::template State<T>;
  using Values = Lanes<Value>;
  using States = Lanes<State>;

  static constexpr int64_t kStep = kLanes<Value>;
  // Registers of states per register of values.
  static constexpr int kParts = kLanes<Value> / kLanes<State>;
  // Registers of values combined at a time, and groups of these per step of the
  // loop: enough independent work to hide latencies.
  static constexpr int kGroup = std::is_same_v<Value, State> ? 2 : 4;
  static constexpr int kGroups = 8 / kGroup;

  static HWY_INLINE Values mapped(Values x) {
    if constexpr (requires { Op::map_value(x); }) {
      return Op::map_value(x);
    } else {
      return x;
    }
  }
  static HWY_INLINE Values load(const T* p) {
    return mapped(LaneMemory<T>::load(p));
  }
  // A partial register, padded with the identity.
  static HWY_INLINE Values load_partial(const T* p, int64_t n) {
    const Values identity(Op::template identity<Value>());
    return mapped(LaneMemory<T>::load_partial(p, n, identity));
  }

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
      return hn::GetLane(reduce_lanes(all, combine).v);
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
    Values rest(Op::template identity<Value>());
    for (; i + kStep <= n; i += kStep) rest = Op::combine(rest, load(p + i));
    if (i < n) rest = Op::combine(rest, load_partial(p + i, n - i));
    accumulators[0].take(rest);
    return Op::combine(state, accumulators[0].across_lanes());
  }

  // Accumulates `count` rows into the states, four at a time or singly, in the
  // same order in every column. Prefetches `ahead` bytes further on: rows are
  // read in parallel, in pieces too short for the hardware prefetcher.
  template <int count>
  static HWY_INLINE void take_rows(const char* data, int64_t row_stride,
                                   int64_t n, int64_t ahead, State* states) {
    const T* rows[count];
    for (int r = 0; r < count; ++r) {
      rows[r] = reinterpret_cast<const T*>(data + r * row_stride);
    }
    int64_t j = 0;
    for (; j + kStep <= n; j += kStep) {
      take_values<count>(
          [&](int r) HWY_ATTR {
            __builtin_prefetch(
                reinterpret_cast<const char*>(rows[r] + j) + ahead, 0, 2);
            return load(rows[r] + j);
          },
          states + j);
    }
    if (j == n) return;
    alignas(64) State last[kStep];
    std::memcpy(last, states + j, (n - j) * sizeof(State));
    take_values<count>(
        [&](int r) HWY_ATTR { return load_partial(rows[r] + j, n - j); }, last);
    std::memcpy(states + j, last, (n - j) * sizeof(State));
  }

  template <int count, class Load>
  static HWY_INLINE void take_values(Load load, State* states) {
    Accumulator accumulator;
    for (int k = 0; k < kParts; ++k) {
      accumulator.parts[k] =
          States(hn::LoadU(Tag<State>(), states + k * kLanes<State>));
    }
    if constexpr (count == 1) {
      accumulator.take(load(0));
    } else {
      for (int r = 0; r < count; r += 4) {
        accumulator.take(Op::combine(Op::combine(load(r), load(r + 1)),
                                     Op::combine(load(r + 2), load(r + 3))));
      }
    }
    for (int k = 0; k < kParts; ++k) {
      hn::StoreU(accumulator.parts[k].v, Tag<State>(),
                 states + k * kLanes<State>);
    }
  }

  static HWY_INLINE void columns(const char* data, int64_t row_stride,
                                 int64_t rows, int64_t n, int64_t,
                                 State* states) {
    int64_t r = 0;
    for (; r + 8 <= rows; r += 8) {
      const int64_t ahead = r + 16 <= rows ? 8 * row_stride : 0;
      take_rows<8>(data + r * row_stride, row_stride, n, ahead, states);
    }
    for (; r + 4 <= rows; r += 4) {
      take_rows<4>(data + r * row_stride, row_stride, n, 0, states);
    }
    for (; r < rows; ++r) {
      take_rows<1>(data + r * row_stride, row_stride, n, 0, states);
    }
  }
};

}  // namespace catena::kernels::CATENA_BACKEND
