#pragma once

// Sine and cosine on lanes.

#include <cmath>

#include "catena/array/cpu/lane_math.h"
#include "catena/array/cpu/lane_vector.h"
#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"

namespace catena::kernels::CATENA_BACKEND {

// The largest magnitude for which sine and cosine are computed here.
inline constexpr int kMaxReducedAngle = 39000;

// sin(x - n pi) for |x - n pi| <= pi / 2, where n is a multiple of 1/2 whose
// product with the first part of pi is exact.
HWY_INLINE Lanes<float> lanes_sin_beside(Lanes<float> n, Lanes<float> x) {
  using Traits = LaneMathTraits<float>;
  Lanes<float> r = x;
  for (const float part : Traits::kPi) {
    r = lanes_multiply_add(n, Lanes<float>(-part), r);
  }
  const Lanes<float> z = r * r;
  return r * lanes_multiply_add(z, lanes_polynomial(z, Traits::kSin),
                                Lanes<float>(1));
}

// -x where an integer, passed with kRound added, is odd, else x.
HWY_INLINE Lanes<float> lanes_negate_odd(Lanes<float> n_and_round,
                                         Lanes<float> x) {
  return Lanes<float>(hn::Xor(
      x.v,
      lanes_from_bits<float>(hn::ShiftLeft<31>(lanes_bits(n_and_round))).v));
}

// For angles up to kMaxReducedAngle. Doubles, and processors without FMA, use
// Highway's functions.
template <class E>
HWY_INLINE Lanes<E> lanes_sin_of_small(Lanes<E> x) {
  if constexpr (sizeof(E) == 4 && HWY_NATIVE_FMA) {
    const Lanes<float> round(LaneMathTraits<float>::kRound);
    const Lanes<float> n =
        lanes_multiply_add(x, Lanes<float>(0.3183098861837907), round);
    return lanes_negate_odd(n, lanes_sin_beside(n - round, x));
  } else {
    return lanes_select(x == Lanes<E>(0), x, Lanes<E>(hn::Sin(Tag<E>(), x.v)));
  }
}

template <class E>
HWY_INLINE Lanes<E> lanes_cos_of_small(Lanes<E> x) {
  Lanes<E> y;
  if constexpr (sizeof(E) == 4 && HWY_NATIVE_FMA) {
    // cos(x) = -sin(x - pi / 2 - n pi) for even n.
    const Lanes<float> round(LaneMathTraits<float>::kRound);
    const Lanes<float> half(0.5);
    const Lanes<float> n =
        lanes_multiply_add(x, Lanes<float>(0.3183098861837907), -half) + round;
    y = lanes_negate_odd(n + Lanes<float>(1),
                         lanes_sin_beside(n - round + half, x));
  } else {
    y = Lanes<E>(hn::Cos(Tag<E>(), x.v));
  }
  return lanes_select(x == Lanes<E>(0), Lanes<E>(1), y);
}

// Max 3 ULP, exact at 0. Large, infinite and NaN angles use the C library; what
// is beside them in a register does not, so that it does not depend on them.
template <class E>
HWY_INLINE Lanes<E> sin(Lanes<E> x) {
  const auto is_small = abs(x) < Lanes<E>(kMaxReducedAngle);
  const Lanes<E> small = lanes_sin_of_small(x);
  if (HWY_LIKELY(hn::AllTrue(Tag<E>(), is_small.v))) return small;
  return lanes_select(
      is_small, small,
      lanes_map<E>([](auto& in, int i) { return std::sin(in[0][i]); }, x));
}

template <class E>
HWY_INLINE Lanes<E> cos(Lanes<E> x) {
  const auto is_small = abs(x) < Lanes<E>(kMaxReducedAngle);
  const Lanes<E> small = lanes_cos_of_small(x);
  if (HWY_LIKELY(hn::AllTrue(Tag<E>(), is_small.v))) return small;
  return lanes_select(
      is_small, small,
      lanes_map<E>([](auto& in, int i) { return std::cos(in[0][i]); }, x));
}

}  // namespace catena::kernels::CATENA_BACKEND
