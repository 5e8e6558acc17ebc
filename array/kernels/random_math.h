#pragma once

#include <bit>
#include <cstdint>
#include <numbers>
#include <utility>

#include "catena/array/core/host_device.h"

// Math functions of the normal distribution, with bitwise identical results on
// every instruction set and on CUDA. They use only +, -, * and /, which IEEE
// 754 rounds correctly, and never fuse products and sums: by -ffp-contract=off
// on the CPU, by multiply_add on CUDA.
namespace catena::array::internal {

// a * b + c, rounded twice.
template <class T>
CATENA_HOST_DEVICE T multiply_add(T a, T b, T c) {
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(T) == 4) {
    return __fadd_rn(__fmul_rn(a, b), c);
  } else {
    return __dadd_rn(__dmul_rn(a, b), c);
  }
#else
  return a * b + c;
#endif
}

// 1 / n!
template <int n>
inline constexpr double kOverFactorial = kOverFactorial<n - 1> / n;
template <>
inline constexpr double kOverFactorial<0> = 1;

// The polynomial with these coefficients, highest power first. A loop would
// keep the compiler from vectorizing the callers.
template <class T, class... Coefficients>
CATENA_HOST_DEVICE T horner(T x, double first, Coefficients... rest) {
  T y = static_cast<T>(first);
  ((y = multiply_add(y, x, static_cast<T>(rest))), ...);
  return y;
}

template <class T>
struct FloatLayout;
template <>
struct FloatLayout<float> {
  using Bits = uint32_t;
  using Signed = int32_t;
  static constexpr int kMantissa = 23;
  static constexpr Bits kSqrtHalf = 0x3f3504f3;
};
template <>
struct FloatLayout<double> {
  using Bits = uint64_t;
  using Signed = int64_t;
  static constexpr int kMantissa = 52;
  static constexpr Bits kSqrtHalf = 0x3fe6a09e667f3bcd;
};

// log(x) for normal x > 0: with x = 2^e m and m in [sqrt(1/2), sqrt(2)),
// log(m) = 2 atanh(s), s = (m - 1) / (m + 1), by its series. Max 3 ULP.
template <class T>
CATENA_HOST_DEVICE T log_of_positive(T x) {
  using Layout = FloatLayout<T>;
  using Bits = typename Layout::Bits;
  constexpr Bits kMask = (Bits{1} << Layout::kMantissa) - 1;
  const Bits above = std::bit_cast<Bits>(x) - Layout::kSqrtHalf;
  const auto e = static_cast<int32_t>(
      static_cast<typename Layout::Signed>(above) >> Layout::kMantissa);
  const T m = std::bit_cast<T>((above & kMask) + Layout::kSqrtHalf);
  const T s = (m - T(1)) / (m + T(1));
  const T z = s * s;
  T series;
  if constexpr (sizeof(T) == 4) {
    series = horner(z, 2. / 9, 2. / 7, 2. / 5, 2. / 3);
  } else {
    series = horner(z, 2. / 21, 2. / 19, 2. / 17, 2. / 15, 2. / 13, 2. / 11,
                    2. / 9, 2. / 7, 2. / 5, 2. / 3);
  }
  const T log_m = multiply_add(s * z, series, s + s);
  return multiply_add(static_cast<T>(e), static_cast<T>(std::numbers::ln2),
                      log_m);
}

template <class T>
struct SineAndCosine {
  T sine;
  T cosine;
};

// Sine and cosine of `quarters` right angles plus x in [-pi/4, pi/4]. Max
// error 1 ULP of 1.
template <class T>
CATENA_HOST_DEVICE SineAndCosine<T> sine_and_cosine(uint32_t quarters, T x) {
  using Layout = FloatLayout<T>;
  using Bits = typename Layout::Bits;
  constexpr int kToSign = 8 * sizeof(T) - 2;  // from bit 1 to the sign
  const T z = x * x;
  T sine;
  T cosine;
  if constexpr (sizeof(T) == 4) {
    sine = horner(z, kOverFactorial<9>, -kOverFactorial<7>, kOverFactorial<5>,
                  -kOverFactorial<3>);
    cosine = horner(z, -kOverFactorial<10>, kOverFactorial<8>,
                    -kOverFactorial<6>, kOverFactorial<4>, -kOverFactorial<2>);
  } else {
    sine = horner(z, kOverFactorial<17>, -kOverFactorial<15>,
                  kOverFactorial<13>, -kOverFactorial<11>, kOverFactorial<9>,
                  -kOverFactorial<7>, kOverFactorial<5>, -kOverFactorial<3>);
    cosine = horner(z, kOverFactorial<16>, -kOverFactorial<14>,
                    kOverFactorial<12>, -kOverFactorial<10>, kOverFactorial<8>,
                    -kOverFactorial<6>, kOverFactorial<4>, -kOverFactorial<2>);
  }
  sine = multiply_add(x * z, sine, x);
  cosine = multiply_add(z, cosine, T(1));
  const bool swapped = (quarters & 1) != 0;
  const Bits a = std::bit_cast<Bits>(swapped ? cosine : sine);
  const Bits b = std::bit_cast<Bits>(swapped ? sine : cosine);
  const Bits sign_a = static_cast<Bits>(quarters & 2) << kToSign;
  const Bits sign_b = static_cast<Bits>((quarters + 1) & 2) << kToSign;
  return {std::bit_cast<T>(a ^ sign_a), std::bit_cast<T>(b ^ sign_b)};
}

}  // namespace catena::array::internal
