#pragma once

// Powers on lanes.

#include <cmath>
#include <cstddef>

#include "catena/array/cpu/lane_math.h"
#include "catena/array/cpu/lane_pair.h"
#include "catena/array/cpu/lane_vector.h"
#include "hwy/highway.h"

namespace catena::kernels::CATENA_BACKEND {

#if HWY_TARGET != HWY_SCALAR
// y log2(x) = n + r with integer n and |r| <= 1/2, for x = 2^k (1 + f) and
// log2(1 + f) = (f - f^2 / 2 + f^3 / 3) / ln(2) + f^4 g. Computed in double,
// since y multiplies the error of the logarithm. n is clamped to the range of
// float exponents.
struct LanePower {
  Lanes<double> n;
  Lanes<double> r;

  HWY_INLINE LanePower(Lanes<double> y, Lanes<double> k, Lanes<double> f,
                       Lanes<double> g) {
    using D = Lanes<double>;
    constexpr double kPerLn2 = 1.4426950408889634;
    D log = lanes_multiply_add(f, g, D(kPerLn2 / 3));
    log = lanes_multiply_add(f, log, D(-kPerLn2 / 2));
    log = lanes_multiply_add(f, log, D(kPerLn2));
    log = lanes_multiply_add(f, log, k);
    using Floats = LaneMathTraits<float>;
    const D z = lanes_clamp_exponent<double>(y * log, Floats::kMinExp2,
                                             Floats::kMaxExp2);
    const D round(LaneMathTraits<double>::kRound);
    n = (z + round) - round;
    r = z - n;
  }
};

HWY_INLINE Lanes<float> lanes_join(Lanes<double> lower, Lanes<double> upper) {
  const hn::Half<Tag<float>> half;
  return Lanes<float>(hn::Combine(Tag<float>(), hn::DemoteTo(half, upper.v),
                                  hn::DemoteTo(half, lower.v)));
}

// (2^k (1 + f))^y for finite y. Max 2 ULP.
HWY_INLINE Lanes<float> lanes_pow_of_parts(const LaneLog<float>& parts,
                                           Lanes<float> k, Lanes<float> y) {
  using Traits = LaneMathTraits<float>;
  const Lanes<float> g = lanes_polynomial(parts.f, Traits::kPower);
  const LanePower lower(lanes_widen_lower(y), lanes_widen_lower(k),
                        lanes_widen_lower(parts.f), lanes_widen_lower(g));
  const LanePower upper(lanes_widen_upper(y), lanes_widen_upper(k),
                        lanes_widen_upper(parts.f), lanes_widen_upper(g));
  const Lanes<float> r =
      lanes_join(lower.r, upper.r) * Lanes<float>(0.6931471805599453);
  return lanes_scale(Lanes<float>(1) + LaneExp<float>::rest_of(r),
                     lanes_join(lower.n, upper.n));
}

// For doubles, with the logarithm as a LanePair.
HWY_INLINE Lanes<double> lanes_pow_of_parts(const LaneLog<double>& parts,
                                            Lanes<double> k, Lanes<double> y) {
  using D = Lanes<double>;
  using Traits = LaneMathTraits<double>;
  const D zero(0);
  const LanePair log = lanes_pair_sum({k, zero}, lanes_pair_log2(parts.f));
  const LanePair z = lanes_pair_product({y, zero}, log);
  const D held =
      lanes_clamp_exponent(z.high, Traits::kMinExp2, Traits::kMaxExp2);
  const D round(Traits::kRound);
  const D n = (held + round) - round;
  // Out of range, the rest of z is irrelevant and may be NaN.
  const LanePair r{held - n, lanes_select(held == z.high, z.low, zero)};
  const LanePair ln2{D(0x1.62e42fefa39efp-1), D(0x1.abc9e3b39803fp-56)};
  const LanePair x = lanes_pair_product(r, ln2);
  // exp(x) = 1 + x + x^2 q(x). The rounding error of 1 + x is added to the
  // small terms, so that the whole is rounded once.
  const D high = D(1) + x.high;
  const D rounded_off = x.high - (high - D(1));
  const D q = lanes_polynomial(x.high, Traits::kExp);
  const D square = x.high * x.high * q;
  const D rest = lanes_multiply_add(x.low, high + square, square);
  return lanes_scale(high + (rounded_off + rest), n);
}

// |x|^y, except for exponents and bases that are 0, infinite or NaN.
template <class E>
HWY_INLINE Lanes<E> lanes_pow_of_magnitude(Lanes<E> x, Lanes<E> y) {
  using Traits = LaneMathTraits<E>;
  constexpr int kBits = Traits::kMantissaBits;
  const Lanes<E> magnitude = abs(x);
  const auto is_small = magnitude < Lanes<E>(Traits::kMinNormal);
  const LaneLog<E> parts(
      lanes_select(is_small, magnitude * Lanes<E>(Traits::kUnits), magnitude));
  const Lanes<E> n = lanes_select(is_small, Lanes<E>(-kBits), Lanes<E>(0));
  return lanes_pow_of_parts(parts, parts.k + n, y);
}

// x^y for all numbers with the special cases of C's pow.
template <class E>
HWY_INLINE Lanes<E> lanes_pow_of_any(Lanes<E> x, Lanes<E> y) {
  using F = Lanes<E>;
  const Tag<E> d;
  const F zero(0);
  const F one(1);
  const F inf(hn::Inf(d));
  const F magnitude = abs(x);
  const auto y_is_infinite = abs(y) == inf;
  const auto grows = magnitude > one;
  const auto is_positive = y > zero;
  F result = lanes_pow_of_magnitude(x, y);
  result = lanes_select(
      magnitude == zero || magnitude == inf || y_is_infinite,
      lanes_select((grows && is_positive) || !(grows || is_positive), inf,
                   zero),
      result);
  // A negative base has powers for integer exponents only.
  const F half = y * F(0.5);
  const auto is_whole = y == rint(y);
  const auto is_odd = is_whole && half != rint(half);
  result = lanes_select(is_odd, copysign(result, x), result);
  result = lanes_select(x < zero && magnitude < inf && !is_whole, F(hn::NaN(d)),
                        result);
  result = lanes_select(x != x || y != y, x + y, result);
  return lanes_select(
      x == one || y == zero || (magnitude == one && y_is_infinite), one,
      result);
}
#endif

// Powers of doubles need pairs, and thus FMA.
template <class E>
inline constexpr bool kPowersInLanes = HWY_TARGET != HWY_SCALAR &&
                                       (sizeof(E) == 4 || HWY_NATIVE_FMA);

template <class E>
HWY_INLINE Lanes<E> lanes_pow_by_elements(Lanes<E> x, Lanes<E> y) {
  return lanes_map<E>(
      [](auto& in, int i) { return std::pow(in[0][i], in[1][i]); }, x, y);
}

// Max 2 ULP; squares and square roots are correctly rounded.
template <class E>
HWY_INLINE Lanes<E> pow(Lanes<E> x, Lanes<E> y) {
  const Tag<E> d;
  const Lanes<E> inf(hn::Inf(d));
  const auto is_two = y == Lanes<E>(2);
  const auto is_half = y == Lanes<E>(0.5);
  const auto is_rooted = is_two || is_half;
  if constexpr (kPowersInLanes<E>) {
    const auto is_plain = x >= Lanes<E>(LaneMathTraits<E>::kMinNormal) &&
                          x < inf && abs(y) < inf && !is_rooted;
    if (HWY_LIKELY(hn::AllTrue(d, is_plain.v))) {
      const LaneLog<E> parts(x);
      return lanes_pow_of_parts(parts, parts.k, y);
    }
  }
  // pow(-0, 0.5) is 0, and pow(-inf, 0.5) is inf.
  const Lanes<E> root = sqrt(lanes_select(x == -inf, inf, x)) + Lanes<E>(0);
  const Lanes<E> rooted = lanes_select(is_two, x * x, root);
  if (hn::AllTrue(d, is_rooted.v)) return rooted;
  Lanes<E> result;
  if constexpr (kPowersInLanes<E>) {
    result = lanes_pow_of_any(x, y);
  } else {
    result = lanes_pow_by_elements(x, y);
  }
  return lanes_select(is_rooted, rooted, result);
}

}  // namespace catena::kernels::CATENA_BACKEND
