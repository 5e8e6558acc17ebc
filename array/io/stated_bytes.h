#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace catena::array {

// The bytes of items of which a file states the extents, 0 or more each;
// nothing when an int64 cannot count them. Extents of 0 count as 1, since they
// do not excuse the others: strides are products of them.
template <class Extents>
std::optional<int64_t> stated_bytes(const Extents& extents,
                                    int64_t item_bytes) {
  int64_t bytes = item_bytes;
  for (const int64_t extent : extents) {
    if (__builtin_mul_overflow(bytes, std::max<int64_t>(extent, 1), &bytes)) {
      return std::nullopt;
    }
  }
  return bytes;
}

}  // namespace catena::array
