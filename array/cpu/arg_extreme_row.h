#pragma once

// Row reductions of argmax and argmin.

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "catena/array/core/dtype.h"
#include "catena/array/cpu/lanes.h"
#include "catena/array/cpu/reduction_row.h"
#include "catena/array/kernels/kernel_type.h"
#include "catena/array/kernels/reduction_ops.h"

namespace catena::kernels::CATENA_BACKEND {

// The first of n elements that is NaN or equal to `value`; n if there is none.
template <class T>
HWY_INLINE int64_t find_value(const T* p, int64_t n, ComputeOf<T> value) {
  if constexpr (kIsFloatStorage<T>) {
    using Value = ComputeOf<T>;
    const Lanes<Value> wanted(value);
    for (int64_t i = 0; i < n; i += kLanes<Value>) {
      const auto x = i + kLanes<Value> <= n
                         ? LaneMemory<T>::load(p + i)
                         : LaneMemory<T>::load_partial(p + i, n - i, wanted);
      const int64_t found = lanes_find_first(x == wanted || x != x);
      if (found >= 0) return i + found;
    }
  } else {
    for (int64_t i = 0; i < n; ++i) {
      if (p[i] == value) return i;
    }
  }
  return n;
}

// The index of the extreme element of a row.
template <class Order, class T>
struct RowReduction<ArgExtremeOp<Order>, T> {
  using Op = ArgExtremeOp<Order>;
  using Value = ComputeOf<T>;
  using State = Indexed<Value>;

  // First finds the row's extreme, then, if it beats the state, its index.
  static HWY_INLINE State row(State state, const T* p, int64_t n,
                              int64_t first) {
    using Extreme = ExtremeOp<Order>;
    const Value extreme = RowReduction<Extreme, T>::row(
        Extreme::template identity<Value>(), p, n, 0);
    const State best = Op::combine(state, State{extreme, first});
    if (best.index != first) return state;
    using Bits = std::conditional_t<std::is_integral_v<T>, BitsOf<T>, T>;
    const int64_t at = find_value<Bits>(reinterpret_cast<const Bits*>(p), n,
                                        static_cast<ComputeOf<Bits>>(extreme));
    return {extreme, first + at};
  }

  static HWY_INLINE void columns(const char* data, int64_t row_stride,
                                 int64_t rows, int64_t n, int64_t first,
                                 State* states) {
    if constexpr (std::is_same_v<T, float16>) {
      RowByConversion<Op, T, Value>::columns(data, row_stride, rows, n, first,
                                             states);
    } else {
      blocks(data, row_stride, rows, n, first, states);
    }
  }

 private:
  // Values and indices are in separate arrays, and indices as narrow as
  // elements, so that the compiler vectorizes.
  static HWY_INLINE void blocks(const char* data, int64_t row_stride,
                                int64_t rows, int64_t n, int64_t first,
                                State* states) {
    constexpr int64_t kColumns = 1024;
    constexpr int64_t kRows = 128;
    using Offset = BitsOf<Value>;
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
        std::copy_n(p, width, best);
        std::fill_n(offsets, width, Offset{0});
        for (int64_t r = begin + 1; r < end; ++r) {
          p = row(r);
          const auto offset = static_cast<Offset>(r - begin);
          for (int64_t j = 0; j < width; ++j) {
            const Value x = p[j];
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

}  // namespace catena::kernels::CATENA_BACKEND
