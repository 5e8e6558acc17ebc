#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "catena/array/core/device.h"
#include "catena/array/core/dtype.h"
#include "catena/array/core/host_device.h"
#include "catena/array/kernels/kernel_slot.h"

// The interface between attention and its kernels, which keep no matrix of all
// queries and keys: a tile of scores is computed, used and forgotten, and
// computed again for gradients.
namespace catena::functions {

// Keys, or queries, [begin, end).
struct KeyRange {
  int64_t begin;
  int64_t end;
};

struct AttentionArgs {
  // (batch, heads, rows, size) in memory; strides in elements, the last is 1.
  struct Operand {
    char* data = nullptr;
    int64_t batch_stride = 0;
    int64_t head_stride = 0;
    int64_t row_stride = 0;
  };

  int64_t batch;
  int64_t heads;
  int64_t kv_heads;  // divides heads
  int64_t queries;
  int64_t keys;
  int64_t size;        // a query's and a key's
  int64_t value_size;  // a value's
  double scale;
  double soft_cap;  // 0: none
  bool causal;
  int64_t window;          // 0: none
  const int64_t* lengths;  // (batch,) on the device, or null
  // (heads,), of the type computed in, or null.
  const void* alibi_slopes;
  // Elements are bool, or of the type computed in and added to scores; strides
  // in elements, 0 along broadcast axes.
  const char* mask;
  bool mask_is_bool;
  int64_t mask_strides[4];
  double dropout;
  const int64_t* seed;  // of what dropout keeps; not read without dropout
  Device device;        // of this and of all that follows

  Operand q;
  Operand k;
  Operand v;
  Operand y;
  // (batch, heads, queries) of the type computed in: log(sum(exp(scores))),
  // infinite for a row without a key. Null: not wanted.
  void* log_sums;

  // For gradients; null data: not wanted.
  Operand gy;
  Operand gq;
  Operand gk;
  Operand gv;

  // What a query can see, but for `mask`. The last query is at the last key.
  CATENA_HOST_DEVICE KeyRange visible(int64_t item, int64_t query) const {
    const int64_t at = query + keys - queries;
    KeyRange range{0, keys};
    if (lengths != nullptr) range.end = std::min(range.end, lengths[item]);
    if (causal) range.end = std::min(range.end, at + 1);
    if (window > 0) {
      range.begin = std::max<int64_t>(0, at - window + 1);
      if (!causal) range.end = std::min(range.end, at + window);
    }
    return {range.begin, std::max(range.begin, range.end)};
  }

  // The queries from the first to the last that can see one of some keys.
  CATENA_HOST_DEVICE KeyRange seeing(int64_t item, KeyRange of) const {
    if (lengths != nullptr) of.end = std::min(of.end, lengths[item]);
    if (of.begin >= of.end) return {0, 0};
    const int64_t shift = keys - queries;
    KeyRange range{0, queries};
    if (causal) range.begin = std::max<int64_t>(0, of.begin - shift);
    if (window > 0) {
      if (!causal) {
        range.begin =
            std::max<int64_t>(range.begin, of.begin - window + 1 - shift);
      }
      range.end = std::min(range.end, of.end + window - 1 - shift);
    }
    return {range.begin, std::max(range.begin, range.end)};
  }
};

// CUDA's kernels are for queries, keys and values of at most so many bytes, and
// for at most so many of them.
inline constexpr int kMaxTileRowBytes = 512;
inline constexpr int kMaxTileRows = 1 << 29;

// What dropout multiplies a weight by, 0 or 1 / (1 - dropout), for the key of a
// row, counted over all items and heads: always the same for one seed.
CATENA_HOST_DEVICE double dropout_factor(uint64_t seed, double dropout,
                                         int64_t row, int64_t keys,
                                         int64_t key) {
  // SplitMix64 (Steele, Lea, Flood, 2014).
  uint64_t z = seed + static_cast<uint64_t>(row * keys + key + 1) *
                          uint64_t{0x9e3779b97f4a7c15};
  z = (z ^ (z >> 30)) * uint64_t{0xbf58476d1ce4e5b9};
  z = (z ^ (z >> 27)) * uint64_t{0x94d049bb133111eb};
  const double uniform = static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  return uniform < dropout ? 0 : 1 / (1 - dropout);
}

struct AttentionForward {
  static constexpr std::string_view kName = "attention";
  using Kernel = void(const AttentionArgs& args);
  using Table = DtypeTable<Kernel>;
  template <class Op>
  using Dtypes = FloatTypes;
};

struct AttentionBackward : AttentionForward {
  static constexpr std::string_view kName = "gradients of attention";
};

// Writes what dropout multiplies all weights by: (batch, heads, queries, keys).
struct AttentionFactors {
  static constexpr std::string_view kName = "dropout of attention";
  using Kernel = void(const AttentionArgs& args, void* factors);
  using Table = DtypeTable<Kernel>;
  template <class Op>
  using Dtypes = FloatTypes;
};

}  // namespace catena::functions
