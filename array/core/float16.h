#pragma once

#include <bit>
#include <cstdint>

#include "catena/array/core/host_device.h"

namespace catena {

namespace internal {

// IEEE 754 binary32 to binary16, round to nearest even; NaN stays NaN (quiet).
CATENA_HOST_DEVICE constexpr uint16_t float_to_half_bits(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude >= 0x47800000u) {  // 65536 and above, infinity, NaN
    const bool nan = magnitude > 0x7f800000u;
    return static_cast<uint16_t>(
        sign | 0x7c00u | (nan ? 0x200u | ((magnitude >> 13) & 0x3ffu) : 0u));
  }
  if (magnitude < 0x38800000u) {  // below the smallest normal half, 2^-14
    // Adding 0.5 aligns the mantissa so that the hardware rounds for us.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<uint16_t>(
        sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000u));
  }
  const uint32_t odd = (magnitude >> 13) & 1u;
  return static_cast<uint16_t>(
      sign | ((magnitude - 0x38000000u + 0xfffu + odd) >> 13));
}

CATENA_HOST_DEVICE constexpr float half_bits_to_float(uint16_t half) {
  const uint32_t sign = (half & 0x8000u) << 16;
  const uint32_t magnitude = half & 0x7fffu;
  if (magnitude >= 0x7c00u) {  // infinity, NaN
    return std::bit_cast<float>(sign | 0x7f800000u |
                                ((magnitude & 0x3ffu) << 13));
  }
  if (magnitude < 0x400u) {  // zero and subnormals: exact in float
    const float value = static_cast<float>(magnitude) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(value));
  }
  return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000u));
}

// Round to nearest even; NaN stays NaN.
CATENA_HOST_DEVICE constexpr uint16_t float_to_bfloat_bits(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) {
    return static_cast<uint16_t>((bits >> 16) | 0x40u);
  }
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

// Converts a double to float on the way to a 16-bit float, by rounding to odd:
// truncate, then set the last bit if inexact. The second rounding is then
// correct.
CATENA_HOST_DEVICE constexpr float round_to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  const auto back = static_cast<double>(nearest);
  if (back == value || value != value) return nearest;
  const auto bits = std::bit_cast<uint32_t>(nearest);
  const bool beyond = value < 0 ? back < value : back > value;
  return std::bit_cast<float>((beyond ? bits - 1 : bits) | 1u);
}

}  // namespace internal

// IEEE 754 binary16. A storage type: arithmetic happens in float.
struct float16 {
  uint16_t bits;

  float16() = default;
  CATENA_HOST_DEVICE constexpr explicit float16(float value)
      : bits(internal::float_to_half_bits(value)) {}
  CATENA_HOST_DEVICE constexpr operator float() const {
    return internal::half_bits_to_float(bits);
  }
};

// The upper half of a binary32: its range, 8 bits of precision. A storage
// type: arithmetic happens in float.
struct bfloat16 {
  uint16_t bits;

  bfloat16() = default;
  CATENA_HOST_DEVICE constexpr explicit bfloat16(float value)
      : bits(internal::float_to_bfloat_bits(value)) {}
  CATENA_HOST_DEVICE constexpr operator float() const {
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  }
};

static_assert(sizeof(float16) == 2 && sizeof(bfloat16) == 2);

}  // namespace catena
