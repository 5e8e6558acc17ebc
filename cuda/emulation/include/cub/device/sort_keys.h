#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "cub/device/device_call.h"

namespace cub::emulation {

// Pointers, and the bits of a key that count: [begin_bit, end_bit).
template <class Key, class Value>
struct SortArguments {
  static_assert(std::is_unsigned_v<Key>);

  const Key* keys_in;
  Key* keys_out;
  const Value* values_in;  // null, with values_out, if only keys are sorted
  Value* values_out;
  int begin_bit;
  int end_bit;

  bool are_valid(int64_t size) const {
    if (size < 0 || begin_bit < 0 || begin_bit > end_bit ||
        end_bit > static_cast<int>(8 * sizeof(Key))) {
      return false;
    }
    const Range outs[] = {{keys_out, size}, {values_out, values_size(size)}};
    const Range ins[] = {{keys_in, size}, {values_in, values_size(size)}};
    for (const Range& out : outs) {
      for (const Range& in : ins) {
        if (out.overlaps(in)) return false;
      }
    }
    return !outs[0].overlaps(outs[1]);
  }

  // Sorts [begin, end), stably.
  void sort(int64_t begin, int64_t end) const {
    struct Item {
      Key key;
      int64_t from;
    };
    std::vector<Item> items;
    for (int64_t i = begin; i < end; ++i) items.push_back({keys_in[i], i});
    const int bits = end_bit - begin_bit;
    const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
    const auto digit = [&](const Item& item) {
      return bits == 0 ? 0 : uint64_t{item.key} >> begin_bit & mask;
    };
    std::stable_sort(
        items.begin(), items.end(),
        [&](const Item& a, const Item& b) { return digit(a) < digit(b); });
    for (int64_t i = begin; i < end; ++i) {
      const Item& item = items[static_cast<size_t>(i - begin)];
      keys_out[i] = item.key;
      if (values_in != nullptr) values_out[i] = values_in[item.from];
    }
  }

 private:
  int64_t values_size(int64_t size) const {
    return values_in != nullptr ? size : 0;
  }
};

}  // namespace cub::emulation
