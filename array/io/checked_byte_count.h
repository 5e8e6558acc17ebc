#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace catena::array {

// The size in bytes of an array with extents from a file, each >= 0; nullopt if
// it overflows int64. Extents of 0 count as 1: the others must not overflow
// either, since strides are their products.
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

// The size in bytes; 0 if an extent is 0. nullopt if checked_byte_count is, or
// if a nonempty array exceeds `max`.
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
