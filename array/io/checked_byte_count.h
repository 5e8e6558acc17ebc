#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace catena::array {

// The bytes of items whose extents a file states, 0 or more each;
// nothing when an int64 cannot count them. Extents of 0 count as 1, since they
// do not excuse the others: strides are products of them.
template <class Extents>
std::optional<int64_t> checked_byte_count(const Extents& extents,
                                          int64_t item_bytes) {
  int64_t bytes = item_bytes;
  for (const int64_t extent : extents) {
    if (__builtin_mul_overflow(bytes, std::max<int64_t>(extent, 1), &bytes)) {
      return std::nullopt;
    }
  }
  return bytes;
}

// The bytes of that array: 0 when an extent is; nothing when they cannot be
// counted, or are more than `max` in an array that has elements.
template <class Extents>
std::optional<int64_t> checked_byte_count_within(int64_t max,
                                                 const Extents& extents,
                                                 int64_t item_bytes) {
  const std::optional<int64_t> bytes = checked_byte_count(extents, item_bytes);
  if (!bytes) return std::nullopt;
  for (const int64_t extent : extents) {
    if (extent == 0) return 0;
  }
  return *bytes <= max ? bytes : std::nullopt;
}

}  // namespace catena::array
