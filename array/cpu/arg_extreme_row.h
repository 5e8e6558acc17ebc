#pragma once

// Row reductions of argmax and argmin.

#include <cstdint>
#include <type_traits>

#include "catena/array/cpu/lanes.h"
#include "catena/array/cpu/reduction_row.h"
#include "catena/array/dtype.h"
#include "catena/array/reduction_ops.h"

namespace catena::kernels::CATENA_BACKEND {

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
    return best.index == first ? State{extreme, first + find(p, n, extreme)}
                               : state;
  }

  // The first element equal to the extreme, or the first NaN if that is NaN.
  static HWY_INLINE int64_t find(const T* p, int64_t n, Value extreme) {
    if constexpr (std::is_floating_point_v<Value>) {
      const Lanes<Value> wanted(extreme);
      for (int64_t i = 0; i < n; i += kLanes<Value>) {
        const auto x = i + kLanes<Value> <= n
                           ? LaneMemory<T>::load(p + i)
                           : LaneMemory<T>::load_partial(p + i, n - i, wanted);
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

  // Values and indices are in separate arrays, and indices as narrow as
  // elements, so that the compiler vectorizes.
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

}  // namespace catena::kernels::CATENA_BACKEND
