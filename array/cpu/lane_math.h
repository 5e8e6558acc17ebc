#pragma once

// Exponentials and logarithms on lanes. The polynomials are from
// fit_polynomials.py. The stated errors were measured for all floats and for
// samples of doubles against higher precision (lanes_test.cc).
//
// Highway's contrib/math has exp, expm1, log and tanh, too. These are more
// accurate (max 2 ULP for expm1 and log instead of 4) and handle every input:
// NaN, infinities, subnormals, and overflow.

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "catena/array/cpu/lane_vector.h"
#include "hwy/highway.h"

namespace catena::kernels::CATENA_BACKEND {

// Constants of the functions for each type.
template <class E>
struct LaneMathTraits;

template <>
struct LaneMathTraits<float> {
  using Bits = uint32_t;
  static constexpr int kMantissaBits = 23;
  static constexpr Bits kOne = 0x3f800000;       // the bits of 1
  static constexpr Bits kRootHalf = 0x3f3504f3;  // the bits of sqrt(1/2)
  static constexpr Bits kMantissa = 0x7fffff;
  // 2^23: its lowest bit is worth 1. 1.5 times that also allows negative
  // numbers.
  static constexpr float kUnits = 0x1p23f;
  static constexpr float kRound = 0x1.8p23f;
  static constexpr float kMinNormal = 0x1p-126f;
  // ln 2 in two parts; the first times any exponent is exact.
  static constexpr float kLn2High = 0.693359375f;
  static constexpr float kLn2Low = -2.12194440e-4f;
  // log10(2) in two parts, in the same way.
  static constexpr float kLog10Of2High = 0x1.344p-2f;
  static constexpr float kLog10Of2Low = 0x1.3509f8p-18f;
  // Beyond these bounds exp is 0 or infinity; tanh(kMaxTanh) is 1.
  static constexpr float kMinExp = -104.0f;
  static constexpr float kMaxExp = 89.0f;
  static constexpr float kMinExp2 = -151.0f;
  static constexpr float kMaxExp2 = 129.0f;
  // Below this exp(x) - 1 is -1.
  static constexpr float kMinExpm1 = -20.0f;
  static constexpr float kMaxTanh = 10.0f;
  // exp(r) = 1 + r + r^2 q(r) for |r| <= ln(2) / 2.
  static constexpr float kExp[] = {0x1.fffffcp-2f, 0x1.555492p-3f,
                                   0x1.5558aep-5f, 0x1.123988p-7f,
                                   0x1.6a4f84p-10f};
  // log(1 + f) = f - f^2 / 2 + f^3 p(f) for 1 + f from sqrt(1/2) to sqrt(2).
  static constexpr float kLog[] = {
      0x1.555554p-2f, -0x1.000228p-2f, 0x1.99a022p-3f, -0x1.54720ep-3f,
      0x1.22d876p-3f, -0x1.0d861ap-3f, 0x1.056488p-3f, -0x1.38c2f6p-4f};
  // log2(1 + f) = (f - f^2 / 2 + f^3 / 3) / ln(2) + f^4 g(f).
  static constexpr float kPower[] = {
      -0x1.71545ap-2f, 0x1.2776e2p-2f,  -0x1.ec83c2p-3f,
      0x1.a61c24p-3f,  -0x1.6f36a0p-3f, 0x1.45cd5ep-3f,
      -0x1.3eca60p-3f, 0x1.3ac4cap-3f,  -0x1.6560e8p-4f};
  // sin(r) = r (1 + z s(z)), z = r^2, for |r| <= pi / 2.
  static constexpr float kSin[] = {-0x1.55554cp-3f, 0x1.110edap-7f,
                                   -0x1.9f70eep-13f, 0x1.5dc8c6p-19f};
  // pi in truncated parts, so that the difference of an angle and a near
  // multiple of the first part is exact.
  static constexpr float kPi[] = {0x1.921fb4p+1f, 0x1.4442d0p-23f,
                                  0x1.846988p-47f};
};

template <>
struct LaneMathTraits<double> {
  using Bits = uint64_t;
  static constexpr int kMantissaBits = 52;
  static constexpr Bits kOne = 0x3ff0000000000000;
  static constexpr Bits kRootHalf = 0x3fe6a09e667f3bcd;
  static constexpr Bits kMantissa = 0xfffffffffffff;
  static constexpr double kUnits = 0x1p52;
  static constexpr double kRound = 0x1.8p52;
  static constexpr double kMinNormal = 0x1p-1022;
  static constexpr double kLn2High = 0x1.62e42feep-1;
  static constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
  static constexpr double kLog10Of2High = 0x1.34413509fp-2;
  static constexpr double kLog10Of2Low = 0x1.e7fbcc47c4acdp-40;
  static constexpr double kMinExp = -746.0;
  static constexpr double kMaxExp = 710.0;
  static constexpr double kMinExp2 = -1076.0;
  static constexpr double kMaxExp2 = 1025.0;
  static constexpr double kMinExpm1 = -45.0;
  static constexpr double kMaxTanh = 20.0;
  static constexpr double kExp[] = {
      0x1.000000000000ap-1,  0x1.5555555555504p-3,  0x1.55555555506bap-5,
      0x1.11111111255c4p-7,  0x1.6c16c18477931p-10, 0x1.a01a01369c144p-13,
      0x1.a019995cca003p-16, 0x1.71df0af00e9d8p-19, 0x1.28adffa38f719p-22,
      0x1.ada7fd7806470p-26};
  // log((1 + s) / (1 - s)) = 2 s + s^3 l(s^2).
  static constexpr double kLog[] = {0x1.5555555555592p-1, 0x1.999999997ff7ep-2,
                                    0x1.24924941d9298p-2, 0x1.c71c521c0bd8bp-3,
                                    0x1.74663b38c345dp-3, 0x1.39a21668ff3c8p-3,
                                    0x1.2f01e70d8bc4dp-3};
  // log2((1 + s) / (1 - s)) = (2 s + 2 s^3 / 3) / ln(2) + s^5 g(s^2).
  static constexpr double kPower[] = {
      0x1.2776c50ef9bfcp-1, 0x1.a61762a7aeddap-2, 0x1.484b13d6ad460p-2,
      0x1.0c9a853abf9f1p-2, 0x1.c68ee97ee52f5p-3, 0x1.8a09b2d2fbb24p-3,
      0x1.58fd359b3230bp-3, 0x1.61ed5be8f40e1p-3};
};

// a b + c, fused if the processor supports it.
template <class E>
HWY_INLINE Lanes<E> lanes_multiply_add(Lanes<E> a, Lanes<E> b, Lanes<E> c) {
  return Lanes<E>(hn::MulAdd(a.v, b.v, c.v));
}

// c[0] + c[1] x + c[2] x^2 + ...
template <class E, size_t n>
HWY_INLINE Lanes<E> lanes_polynomial(Lanes<E> x, const E (&c)[n]) {
  Lanes<E> y(c[n - 1]);
  for (size_t i = n - 1; i > 0; --i) {
    y = lanes_multiply_add(y, x, Lanes<E>(c[i - 1]));
  }
  return y;
}

template <class E>
using LaneBits = hn::Vec<Tag<typename LaneMathTraits<E>::Bits>>;

template <class E>
HWY_INLINE LaneBits<E> lanes_bits(Lanes<E> x) {
  return hn::BitCast(Tag<typename LaneMathTraits<E>::Bits>(), x.v);
}

template <class E>
HWY_INLINE Lanes<E> lanes_from_bits(LaneBits<E> bits) {
  return Lanes<E>(hn::BitCast(Tag<E>(), bits));
}

// 2^n for an integer n, passed as n + kRound. The result must be normal.
template <class E>
HWY_INLINE Lanes<E> lanes_power_of_2(Lanes<E> n_and_round) {
  using Traits = LaneMathTraits<E>;
  const Tag<typename Traits::Bits> d;
  // The bits of kRound itself are shifted out.
  const auto exponent =
      hn::ShiftLeft<Traits::kMantissaBits>(lanes_bits(n_and_round));
  return lanes_from_bits<E>(hn::Add(exponent, hn::Set(d, Traits::kOne)));
}

// exp(x) = (1 + rest) 2^n with integer n and |rest| < 1/2, for |x| < 2^15.
template <class E>
struct LaneExp {
  Lanes<E> n_and_round;  // n + kRound
  Lanes<E> n;
  Lanes<E> rest;

  HWY_INLINE explicit LaneExp(Lanes<E> x) {
    using Traits = LaneMathTraits<E>;
    const Lanes<E> round(Traits::kRound);
    const Lanes<E> per_ln2(1.4426950408889634);
    n_and_round = lanes_multiply_add(x, per_ln2, round);
    n = n_and_round - round;
    Lanes<E> r = lanes_multiply_add(n, Lanes<E>(-Traits::kLn2High), x);
    r = lanes_multiply_add(n, Lanes<E>(-Traits::kLn2Low), r);
    rest = rest_of(r);
  }

  // The parts of 2^x.
  static HWY_INLINE LaneExp base_2(Lanes<E> x) {
    const Lanes<E> round(LaneMathTraits<E>::kRound);
    LaneExp parts;
    parts.n_and_round = x + round;
    parts.n = parts.n_and_round - round;
    parts.rest = rest_of((x - parts.n) * Lanes<E>(0.6931471805599453));
    return parts;
  }

  // exp(r) - 1 for |r| up to ln(2) / 2.
  static HWY_INLINE Lanes<E> rest_of(Lanes<E> r) {
    const Lanes<E> q = lanes_polynomial(r, LaneMathTraits<E>::kExp);
    return lanes_multiply_add(r * r, q, r);
  }

 private:
  LaneExp() = default;
};

// y 2^n, which may be subnormal or infinite.
template <class E>
HWY_INLINE Lanes<E> lanes_scale(Lanes<E> y, Lanes<E> n) {
#if HWY_CAP_GE512
  if constexpr (sizeof(E) == 4) {
    return Lanes<E>(decltype(y.v){_mm512_scalef_ps(y.v.raw, n.v.raw)});
  } else {
    return Lanes<E>(decltype(y.v){_mm512_scalef_pd(y.v.raw, n.v.raw)});
  }
#else
  // In two steps, as 2^n may be out of range.
  const Lanes<E> round(LaneMathTraits<E>::kRound);
  const Lanes<E> half = lanes_multiply_add(n, Lanes<E>(0.5), round);
  const Lanes<E> other = n - (half - round);
  return y * lanes_power_of_2(half) * lanes_power_of_2(other + round);
#endif
}

// Clamps x to [low, high]; NaN stays NaN.
template <class E>
HWY_INLINE Lanes<E> lanes_clamp(Lanes<E> x, E low, E high) {
  return lanes_min(Lanes<E>(high), lanes_max(Lanes<E>(low), x));
}

// Clamps the argument of an exponential function, which is 0 at `low`. With
// AVX-512 lanes_scale takes some 60 times as long where its result is subnormal
// or underflows, unless by far; so minus infinity, and what masks add instead
// of it, are clamped to where it does.
template <class E>
HWY_INLINE Lanes<E> lanes_clamp_exponent(Lanes<E> x, E low, E high) {
#if HWY_CAP_GE512
  low *= E(7);
#endif
  return lanes_clamp(x, low, high);
}

// Max 1 ULP.
template <class E>
HWY_INLINE Lanes<E> exp(Lanes<E> x) {
  using Traits = LaneMathTraits<E>;
  const LaneExp<E> parts(
      lanes_clamp_exponent(x, Traits::kMinExp, Traits::kMaxExp));
  return lanes_scale(Lanes<E>(1) + parts.rest, parts.n);
}

// Max 2 ULP.
template <class E>
HWY_INLINE Lanes<E> exp2(Lanes<E> x) {
  using Traits = LaneMathTraits<E>;
  const auto parts = LaneExp<E>::base_2(
      lanes_clamp_exponent(x, Traits::kMinExp2, Traits::kMaxExp2));
  return lanes_scale(Lanes<E>(1) + parts.rest, parts.n);
}

// exp(x) - 1. Max 2 ULP; keeps the sign of zero.
template <class E>
HWY_INLINE Lanes<E> expm1(Lanes<E> x) {
  using Traits = LaneMathTraits<E>;
  const LaneExp<E> parts(lanes_clamp(x, Traits::kMinExpm1, Traits::kMaxExp));
  // Computes half of (1 + rest) 2^n - 1, as 2^n may be out of range. Near 0 the
  // result is rest itself, since half of it may be subnormal.
  const Lanes<E> half = lanes_power_of_2(parts.n_and_round - Lanes<E>(1));
  Lanes<E> y = lanes_multiply_add(half, parts.rest, half - Lanes<E>(0.5));
  y = lanes_select(parts.n == Lanes<E>(0), parts.rest, y + y);
  return copysign(y, x);
}

// Computed from exp(2|x|) - 1, which is accurate near 0. Max 3 ULP; never
// exceeds +-1.
template <class E>
HWY_INLINE Lanes<E> tanh(Lanes<E> x) {
  const Lanes<E> magnitude =
      lanes_min(Lanes<E>(LaneMathTraits<E>::kMaxTanh), abs(x));
  const LaneExp<E> parts(magnitude + magnitude);
  const Lanes<E> scale = lanes_power_of_2(parts.n_and_round);
  const Lanes<E> u = lanes_multiply_add(scale, parts.rest, scale - Lanes<E>(1));
  return Lanes<E>(hn::CopySign((u / (u + Lanes<E>(2))).v, x.v));
}

// x = 2^k (1 + f) for normal positive x, where 1 + f is from sqrt(1/2) to
// sqrt(2).
template <class E>
struct LaneLog {
  Lanes<E> k;
  Lanes<E> f;

  HWY_INLINE explicit LaneLog(Lanes<E> x) { f = mantissa(x) - Lanes<E>(1); }

  // For x + correction, where correction is too small to change k, and k < 126.
  HWY_INLINE LaneLog(Lanes<E> x, Lanes<E> correction) {
    const Tag<typename LaneMathTraits<E>::Bits> d;
    const Lanes<E> m = mantissa(x);
    const auto scale =  // 2^-k
        hn::Sub(hn::Set(d, LaneMathTraits<E>::kOne),
                hn::Sub(lanes_bits(x), lanes_bits(m)));
    f = lanes_multiply_add(correction, lanes_from_bits<E>(scale),
                           m - Lanes<E>(1));
  }

  // log(1 + f) - f + f^2 / 2, given f^2 / 2.
  HWY_INLINE Lanes<E> rest(Lanes<E> half_square) const {
    using Traits = LaneMathTraits<E>;
    if constexpr (sizeof(E) == 4) {
      return f * f * f * lanes_polynomial(f, Traits::kLog);
    } else {
      const Lanes<E> s = f / (f + Lanes<E>(2));
      const Lanes<E> z = s * s;
      return s * lanes_multiply_add(z, lanes_polynomial(z, Traits::kLog),
                                    half_square);
    }
  }

 private:
  // 1 + f; finds k.
  HWY_INLINE Lanes<E> mantissa(Lanes<E> x) {
    using Traits = LaneMathTraits<E>;
    const Tag<typename Traits::Bits> d;
    // Makes the exponent field increase where the mantissa exceeds sqrt(2).
    const auto moved =
        hn::Add(lanes_bits(x), hn::Set(d, Traits::kOne - Traits::kRootHalf));
    const auto exponent = hn::ShiftRight<Traits::kMantissaBits>(moved);
    const Lanes<E> units(Traits::kUnits);
    const E bias =
        Traits::kUnits + static_cast<E>(Traits::kOne >> Traits::kMantissaBits);
    k = lanes_from_bits<E>(hn::Or(exponent, lanes_bits(units))) -
        Lanes<E>(bias);
    return lanes_from_bits<E>(
        hn::Add(hn::And(moved, hn::Set(d, Traits::kMantissa)),
                hn::Set(d, Traits::kRootHalf)));
  }
};

// The logarithm of 2^k (1 + f).
template <class E>
HWY_INLINE Lanes<E> lanes_log_of_parts(const LaneLog<E>& parts, Lanes<E> k) {
  using Traits = LaneMathTraits<E>;
  const Lanes<E> half_square = Lanes<E>(0.5) * parts.f * parts.f;
  const Lanes<E> y = lanes_multiply_add(k, Lanes<E>(Traits::kLn2Low),
                                        parts.rest(half_square)) -
                     half_square + parts.f;
  return lanes_multiply_add(k, Lanes<E>(Traits::kLn2High), y);
}

// The logarithms of 2^n x for normal positive x.
template <class E>
HWY_INLINE Lanes<E> lanes_log_of_normal(Lanes<E> x, Lanes<E> n) {
  const LaneLog<E> parts(x);
  return lanes_log_of_parts(parts, parts.k + n);
}

template <class E>
HWY_INLINE Lanes<E> lanes_log2_of_normal(Lanes<E> x, Lanes<E> n) {
  const LaneLog<E> parts(x);
  const Lanes<E> half_square = Lanes<E>(0.5) * parts.f * parts.f;
  const Lanes<E> y = parts.rest(half_square) - half_square + parts.f;
  return lanes_multiply_add(y, Lanes<E>(1.4426950408889634), parts.k + n);
}

template <class E>
HWY_INLINE Lanes<E> lanes_log10_of_normal(Lanes<E> x, Lanes<E> n) {
  using Traits = LaneMathTraits<E>;
  const LaneLog<E> parts(x);
  const Lanes<E> k = parts.k + n;
  const Lanes<E> half_square = Lanes<E>(0.5) * parts.f * parts.f;
  const Lanes<E> y = parts.rest(half_square) - half_square + parts.f;
  const Lanes<E> low = lanes_multiply_add(k, Lanes<E>(Traits::kLog10Of2Low),
                                          y * Lanes<E>(0.4342944819032518));
  return lanes_multiply_add(k, Lanes<E>(Traits::kLog10Of2High), low);
}

// Extends a logarithm of normal positive numbers to all numbers.
template <class E, class F>
HWY_INLINE Lanes<E> lanes_log_of_any(Lanes<E> x, F log_of_normal) {
  const Tag<E> d;
  const Lanes<E> zero(0);
  const Lanes<E> inf(hn::Inf(d));
  const Lanes<E> min_normal(LaneMathTraits<E>::kMinNormal);
  if (HWY_LIKELY(hn::AllTrue(d, (x >= min_normal && x < inf).v))) {
    return log_of_normal(x, zero);
  }
  constexpr int kBits = LaneMathTraits<E>::kMantissaBits;
  const auto is_small = x < min_normal;
  Lanes<E> y = log_of_normal(
      lanes_select(is_small, x * Lanes<E>(LaneMathTraits<E>::kUnits), x),
      lanes_select(is_small, Lanes<E>(-kBits), zero));
  y = lanes_select(x == zero, -inf, y);
  y = lanes_select(x == inf || x != x, x, y);
  return lanes_select(x < zero, Lanes<E>(hn::NaN(d)), y);
}

// NaN below 0, -inf at 0. log: max 2 ULP, log2 and log10: max 3 ULP.
template <class E>
HWY_INLINE Lanes<E> log(Lanes<E> x) {
  return lanes_log_of_any(x, [](Lanes<E> y, Lanes<E> n) HWY_ATTR {
    return lanes_log_of_normal(y, n);
  });
}

template <class E>
HWY_INLINE Lanes<E> log2(Lanes<E> x) {
  return lanes_log_of_any(x, [](Lanes<E> y, Lanes<E> n) HWY_ATTR {
    return lanes_log2_of_normal(y, n);
  });
}

template <class E>
HWY_INLINE Lanes<E> log10(Lanes<E> x) {
  return lanes_log_of_any(x, [](Lanes<E> y, Lanes<E> n) HWY_ATTR {
    return lanes_log10_of_normal(y, n);
  });
}

// Computed as log(u + c), where u is 1 + x rounded and c the rounding error,
// and as log(x) for large x. Max 3 ULP; NaN below -1, -inf at -1, keeps the
// sign of zero.
template <class E>
HWY_INLINE Lanes<E> log1p(Lanes<E> x) {
  const Tag<E> d;
  const Lanes<E> one(1);
  const Lanes<E> u = one + x;
  const LaneLog<E> parts(u, x - (u - one));
  const Lanes<E> y = copysign(lanes_log_of_parts(parts, parts.k), x);
  const auto is_plain = x > -one && x < Lanes<E>(0x1p100);
  if (HWY_LIKELY(hn::AllTrue(d, is_plain.v))) return y;
  // Also gives the right NaN and infinity.
  const Lanes<E> large = log(x);
  const Lanes<E> special =
      lanes_select(x == -one, -Lanes<E>(hn::Inf(d)), large);
  return lanes_select(is_plain, y, special);
}

// Calls a scalar function for each lane.
template <class E, class F, class... Args>
HWY_INLINE Lanes<E> lanes_map(F f, Args... args) {
  alignas(64) E in[sizeof...(args)][kLanes<E>];
  alignas(64) E out[kLanes<E>];
  const Tag<E> d;
  int k = 0;
  (hn::Store(args.v, d, in[k++]), ...);
  for (int i = 0; i < kLanes<E>; ++i) out[i] = f(in, i);
  return Lanes<E>(hn::Load(d, out));
}

}  // namespace catena::kernels::CATENA_BACKEND
