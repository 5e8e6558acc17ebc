#pragma once

// Row reductions of var and std.

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "catena/array/core/dtype.h"
#include "catena/array/cpu/lanes.h"
#include "catena/array/cpu/reduction_row.h"
#include "catena/array/kernels/reduction_ops.h"

namespace catena::kernels::CATENA_BACKEND {

// Squared deviations of floats, in two passes over a range that fits the cache:
// the first computes an approximate mean, the second the sums of the deviations
// from it and of their squares; the former corrects the latter.
template <class T>
struct DeviationsOfFloats {
  using Value = ComputeOf<T>;
  using Values = Lanes<Value>;
  static constexpr int64_t kStep = kLanes<Value>;
  static constexpr int64_t kItem = sizeof(T);

  static HWY_INLINE Moments moments(double n, double about, double sum,
                                    double squares) {
    return {n, about + sum / n, squares - sum * sum / n};
  }

  // Rows are processed in parts, which bounds how many numbers a lane adds.
  static HWY_INLINE Moments row(Moments state, const T* p, int64_t n, int64_t) {
    constexpr int64_t kPart = 2048;
    for (int64_t i = 0; i < n; i += kPart) {
      state = SquaredDeviationsOp::combine(state,
                                           part(p + i, std::min(n - i, kPart)));
    }
    return state;
  }

  static HWY_INLINE Moments part(const T* p, int64_t n) {
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
    if (i < n) take(1, LaneMemory<T>::load_partial(p + i, n - i, centers));
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
    return moments(count, static_cast<double>(center), sum, square);
  }

  // The block size: its elements and those of the next block fit the L2 cache.
  static constexpr int64_t kRows = 64;
  static constexpr int64_t kColumns = 512;

  static HWY_INLINE void columns(const char* data, int64_t row_stride,
                                 int64_t rows, int64_t n, int64_t,
                                 Moments* states) {
    for (int64_t begin = 0; begin < rows; begin += kRows) {
      const int64_t height = rows - begin < kRows ? rows - begin : kRows;
      for (int64_t column = 0; column < n; column += kColumns) {
        const int64_t width = n - column < kColumns ? n - column : kColumns;
        const char* at = data + begin * row_stride + column * kItem;
        // The distance in bytes to the next block; 0 for the last one.
        int64_t ahead = 0;
        if (column + kColumns < n) {
          ahead = kColumns * kItem;
        } else if (begin + kRows < rows) {
          ahead = kRows * row_stride - column * kItem;
        }
        block(at, row_stride, height, width, ahead, states + column);
      }
    }
  }

 private:
  static HWY_INLINE void block(const char* data, int64_t row_stride,
                               int64_t rows, int64_t n, int64_t ahead,
                               Moments* states) {
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
    // Each pass prefetches half of the next block's rows, to keep the memory
    // busy in both.
    const auto prefetch = [&](const auto& group, int64_t first, int64_t j) {
      constexpr auto kGroup =
          std::extent_v<std::remove_cvref_t<decltype(group)>>;
      for (size_t r = first; r < kGroup; r += 2) {
        __builtin_prefetch(reinterpret_cast<const char*>(group[r] + j) + ahead,
                           0, 2);
      }
    };
    for_each_group(row, rows, [&](const auto& group) HWY_ATTR {
      for_each_step(group, n, [&](int64_t j, const auto& x) HWY_ATTR {
        prefetch(group, 0, j);
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
        prefetch(group, 1, j);
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

  // Calls take with the addresses of eight rows at a time, then of single rows.
  template <class Row, class Take>
  static HWY_INLINE void for_each_group(Row row, int64_t rows, Take take) {
    int64_t r = 0;
    for (; r + 8 <= rows; r += 8) {
      const T* const eight[] = {row(r),     row(r + 1), row(r + 2), row(r + 3),
                                row(r + 4), row(r + 5), row(r + 6), row(r + 7)};
      take(eight);
    }
    for (; r < rows; ++r) {
      const T* const one[] = {row(r)};
      take(one);
    }
  }

  // Calls take(j, elements of each row from j on) for each register of the
  // rows.
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
      x[r] = LaneMemory<T>::load_partial(rows[r] + j, n - j, Values(Value(0)));
    }
    take(j, x);
  }
};

// Integers and bool are converted to double.
template <class T>
struct RowReduction<SquaredDeviationsOp, T>
    : std::conditional_t<kIsFloatStorage<T>, DeviationsOfFloats<T>,
                         RowByConversion<SquaredDeviationsOp, T, double>> {};

}  // namespace catena::kernels::CATENA_BACKEND
