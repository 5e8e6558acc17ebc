#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "catena/array/core/dtype.h"
#include "catena/array/core/host_device.h"

// Maps elements to unsigned integers with the same order, so that all dtypes
// are sorted by their bits. NaN of either sign comes last.
namespace catena::array {

// The unsigned integer of `size` bytes.
template <int64_t size>
using Bits = std::conditional_t<
    size == 1, uint8_t,
    std::conditional_t<size == 2, uint16_t,
                       std::conditional_t<size == 4, uint32_t, uint64_t>>>;

template <class T>
struct SortKey {
  using Key = Bits<sizeof(T)>;
  static constexpr bool kFloating = std::is_floating_point_v<T> ||
                                    std::is_same_v<T, float16> ||
                                    std::is_same_v<T, bfloat16>;
  static constexpr Key kSign = static_cast<Key>(Key{1} << (8 * sizeof(T) - 1));
  // The bits of infinity: larger magnitudes are NaN.
  static constexpr Key kInfinity =
      std::is_same_v<T, float16>    ? static_cast<Key>(0x7c00)
      : std::is_same_v<T, bfloat16> ? static_cast<Key>(0x7f80)
      : sizeof(T) == 4              ? static_cast<Key>(0x7f800000)
                                    : static_cast<Key>(uint64_t{0x7ff} << 52);
  static constexpr Key kNaN = static_cast<Key>(~Key{0});

  // The key of an element, given as bits. -0.0 comes before 0.0.
  CATENA_HOST_DEVICE static Key encode(Key bits) {
    if constexpr (kFloating) {
      const Key magnitude = static_cast<Key>(bits & static_cast<Key>(~kSign));
      const Key flipped = (bits & kSign) != 0 ? static_cast<Key>(~bits)
                                              : static_cast<Key>(bits | kSign);
      return magnitude > kInfinity ? kNaN : flipped;
    } else if constexpr (std::is_signed_v<T>) {
      return static_cast<Key>(bits ^ kSign);
    } else {
      return bits;
    }
  }

  // As encode, for a stable order: -0.0 and 0.0 are equal.
  CATENA_HOST_DEVICE static Key encode_equal(Key bits) {
    if constexpr (kFloating) {
      return encode(bits == kSign ? Key{0} : bits);
    } else {
      return encode(bits);
    }
  }

  // The inverse of encode; a quiet NaN for any NaN.
  CATENA_HOST_DEVICE static Key decode(Key key) {
    if constexpr (kFloating) {
      return (key & kSign) != 0 ? static_cast<Key>(key ^ kSign)
                                : static_cast<Key>(~key);
    } else if constexpr (std::is_signed_v<T>) {
      return static_cast<Key>(key ^ kSign);
    } else {
      return key;
    }
  }
};

}  // namespace catena::array
