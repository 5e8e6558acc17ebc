#pragma once

#include <cstdint>
#include <string_view>

#include "catena/array/kernels/kernel_slot.h"

// SIMD cumulative sums of a row.
namespace catena::array {

// Cumulative sums of elements T, accumulated as State, which may be wider.
template <class T, class State>
struct RunningSumsOf {
  // `total` returns x[0] + ... + x[n - 1]; `scan` also sets out[i] = before +
  // (x[0] + ... + x[i]). Their sums are bitwise identical. `non_temporal`
  // requires a 64-byte aligned `out` and a stream_fence() before other threads
  // read it. out may be x.
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
