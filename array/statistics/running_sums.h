#pragma once

#include <cstdint>
#include <string_view>

#include "catena/array/kernel_slot.h"

// Running sums of a row, a register at a time.
namespace catena::array {

// Running sums of elements T, added up as States, which may be wider.
template <class T, class State>
struct RunningSumsOf {
  // x[0] + ... + x[n - 1], and the same with out[i] = before + (x[0] + ... +
  // x[i]); both to the last bit. With `non_temporal` out is aligned to 64 bytes
  // and large; call stream_fence() before another thread may read. out may be
  // x.
  State (*total)(const T* x, int64_t n);
  State (*scan)(State before, const T* x, int64_t n, T* out, bool non_temporal);
};

struct RunningSums {
  static constexpr std::string_view kName = "running_sums";
  using Table = RunningSums;
  RunningSumsOf<float, double> floats;
  RunningSumsOf<double, double> doubles;
  RunningSumsOf<uint64_t, uint64_t> integers;
};

}  // namespace catena::array
