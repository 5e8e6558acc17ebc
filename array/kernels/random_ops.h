#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>
#include <type_traits>

#include "catena/array/core/dtype.h"
#include "catena/array/core/host_device.h"
#include "catena/array/kernels/random_math.h"

// Functors of the distributions. A functor turns kWords<T> random 32-bit words
// into kValues<T> elements of type T; the four words of one counter serve 4 /
// kWords<T> calls. The rounding rules of random_math.h apply here too.
namespace catena::array {

namespace internal {

// 53 bits of two words as a multiple of 2^-53 in [0, 1). Conversions are signed
// because there are instructions for these.
CATENA_HOST_DEVICE double unit_interval(uint32_t first, uint32_t second) {
  const auto high = static_cast<double>(static_cast<int32_t>(first >> 5));
  const auto low = static_cast<double>(static_cast<int32_t>(second >> 6));
  return multiply_add(high, 0x1p26, low) * 0x1p-53;
}

// floor(word * range / 2^64) for range up to 2^32.
CATENA_HOST_DEVICE uint64_t scale_word(uint32_t high, uint32_t low,
                                       uint64_t range) {
  return (high * range + (low * range >> 32)) >> 32;
}

CATENA_HOST_DEVICE uint64_t multiply_high(uint64_t a, uint64_t b) {
  const uint64_t a_low = static_cast<uint32_t>(a);
  const uint64_t a_high = a >> 32;
  const uint64_t b_low = static_cast<uint32_t>(b);
  const uint64_t b_high = b >> 32;
  const uint64_t middle = a_high * b_low + (a_low * b_low >> 32);
  const uint64_t other = a_low * b_high + static_cast<uint32_t>(middle);
  return a_high * b_high + (middle >> 32) + (other >> 32);
}

}  // namespace internal

// Uniform over [low, high), with 24 random bits, 53 for float64.
struct UniformOp {
  static constexpr std::string_view kName = "uniform";
  template <class T>
  static constexpr int kWords = sizeof(T) == 8 ? 2 : 1;
  template <class T>
  static constexpr int kValues = 1;

  double low;
  double high;

  template <class T>
  CATENA_HOST_DEVICE void operator()(const uint32_t (&words)[kWords<T>],
                                     T (&out)[1]) const {
    using Compute = std::conditional_t<sizeof(T) == 8, double, float>;
    Compute unit;
    if constexpr (sizeof(T) == 8) {
      unit = internal::unit_interval(words[0], words[1]);
    } else {
      unit = static_cast<float>(static_cast<int32_t>(words[0] >> 8)) * 0x1p-24f;
    }
    const auto from = static_cast<Compute>(low);
    const auto to = static_cast<Compute>(high);
    const T value(internal::multiply_add(unit, to - from, from));
    // Rounding can reach `high`, which is excluded.
    out[0] = static_cast<Compute>(value) < to ? value : T(from);
  }
};

// Box-Muller transform of a radius and an angle. Values stay within 6.7
// standard deviations (8.6 for float64).
struct NormalOp {
  static constexpr std::string_view kName = "normal";
  template <class T>
  static constexpr int kWords = sizeof(T) == 8 ? 4 : 2;
  template <class T>
  static constexpr int kValues = 2;

  double loc;
  double scale;

  template <class T>
  CATENA_HOST_DEVICE void operator()(const uint32_t (&words)[kWords<T>],
                                     T (&out)[2]) const {
    using Compute = std::conditional_t<sizeof(T) == 8, double, float>;
    constexpr double kTurn = 2 * std::numbers::pi;
    Compute unit;  // in (0, 1]
    uint32_t quarters;
    Compute angle;
    if constexpr (sizeof(T) == 8) {
      unit = internal::unit_interval(words[0], words[1]) + 0x1p-53;
      const uint32_t high = words[2] >> 5;
      quarters = (high + (1u << 24)) >> 25;
      const auto rest = static_cast<int32_t>(high - (quarters << 25));
      const auto low = static_cast<int32_t>(words[3] >> 6);
      angle = internal::multiply_add(static_cast<double>(rest), 0x1p26,
                                     static_cast<double>(low)) *
              (kTurn * 0x1p-53);
    } else {
      const auto count = static_cast<int32_t>(words[0] >> 1);
      unit = (static_cast<float>(count) + 0.5f) * 0x1p-31f;
      quarters = (words[1] + (1u << 29)) >> 30;
      const auto rest = static_cast<int32_t>(words[1] - (quarters << 30));
      angle = static_cast<float>(rest) * static_cast<float>(kTurn * 0x1p-32);
    }
    const Compute radius =
        std::sqrt(Compute(-2) * internal::log_of_positive(unit)) *
        static_cast<Compute>(scale);
    const auto at = internal::sine_and_cosine(quarters, angle);
    const auto center = static_cast<Compute>(loc);
    out[0] = T(internal::multiply_add(radius, at.cosine, center));
    out[1] = T(internal::multiply_add(radius, at.sine, center));
  }
};

// `value` with probability threshold / 2^32, else 0.
struct MaskOp {
  static constexpr std::string_view kName = "bernoulli";
  template <class T>
  static constexpr int kWords = 1;
  template <class T>
  static constexpr int kValues = 1;

  uint32_t threshold;
  double value;

  template <class T>
  CATENA_HOST_DEVICE void operator()(const uint32_t (&words)[1],
                                     T (&out)[1]) const {
    using Compute =
        std::conditional_t<std::is_same_v<T, bool>, bool,
                           std::conditional_t<sizeof(T) == 8, double, float>>;
    const T kept(static_cast<Compute>(value));
    out[0] = words[0] < threshold ? kept : T(Compute(0));
  }
};

// 64 random bits.
struct RandomBitsOp {
  static constexpr std::string_view kName = "random_bits";
  template <class T>
  static constexpr int kWords = 2;
  template <class T>
  static constexpr int kValues = 1;

  template <class T>
  CATENA_HOST_DEVICE void operator()(const uint32_t (&words)[2],
                                     T (&out)[1]) const {
    out[0] = T{words[0]} << 32 | words[1];
  }
};

// Integers in [low, low + range), range up to 2^32: 64 random bits scaled,
// statistically indistinguishable from uniform.
struct RandintOp {
  static constexpr std::string_view kName = "randint";
  static constexpr bool kIgnoresSign = true;
  template <class T>
  static constexpr int kWords = 2;
  template <class T>
  static constexpr int kValues = 1;

  int64_t low;
  uint64_t range;

  template <class T>
  CATENA_HOST_DEVICE void operator()(const uint32_t (&words)[2],
                                     T (&out)[1]) const {
    out[0] = static_cast<T>(static_cast<uint64_t>(low) +
                            internal::scale_word(words[0], words[1], range));
  }
};

// As RandintOp for any range, from 128 random bits.
struct WideRandintOp {
  static constexpr std::string_view kName = "randint";
  static constexpr bool kIgnoresSign = true;
  template <class T>
  static constexpr int kWords = 4;
  template <class T>
  static constexpr int kValues = 1;

  int64_t low;
  uint64_t range;

  template <class T>
  CATENA_HOST_DEVICE void operator()(const uint32_t (&words)[4],
                                     T (&out)[1]) const {
    const uint64_t high = uint64_t{words[0]} << 32 | words[1];
    const uint64_t rest = uint64_t{words[2]} << 32 | words[3];
    const uint64_t carry_in = internal::multiply_high(rest, range);
    const uint64_t sum = high * range + carry_in;
    const uint64_t scaled =
        internal::multiply_high(high, range) + (sum < carry_in ? 1 : 0);
    out[0] = static_cast<T>(static_cast<uint64_t>(low) + scaled);
  }
};

}  // namespace catena::array
