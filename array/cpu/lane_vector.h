#pragma once

// The class Lanes with its operators, and functions that move values between
// lanes.

#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"

namespace catena::kernels::CATENA_BACKEND {

namespace hn = hwy::HWY_NAMESPACE;

template <class E>
using Tag = hn::ScalableTag<E>;

template <class E>
inline constexpr int kLanes = HWY_LANES(E);

template <class E>
struct LaneMask {
  hn::Mask<Tag<E>> v;

  friend HWY_INLINE LaneMask operator&&(LaneMask a, LaneMask b) {
    return {hn::And(a.v, b.v)};
  }
  friend HWY_INLINE LaneMask operator||(LaneMask a, LaneMask b) {
    return {hn::Or(a.v, b.v)};
  }
  friend HWY_INLINE LaneMask operator!(LaneMask a) { return {hn::Not(a.v)}; }
};

template <class E>
struct Lanes {
  using Lane = E;
  using Mask = LaneMask<E>;
  using V = hn::Vec<Tag<E>>;

  V v;

  Lanes() = default;
  HWY_INLINE explicit Lanes(V value) : v(value) {}
  // A constant in every lane: functors write T(0.5).
  template <class N>
  requires std::is_arithmetic_v<N> HWY_INLINE explicit Lanes(N value)
      : v(hn::Set(Tag<E>(), static_cast<E>(value))) {}

  friend HWY_INLINE Lanes operator+(Lanes a, Lanes b) {
    return Lanes(hn::Add(a.v, b.v));
  }
  friend HWY_INLINE Lanes operator-(Lanes a, Lanes b) {
    return Lanes(hn::Sub(a.v, b.v));
  }
  friend HWY_INLINE Lanes operator*(Lanes a, Lanes b) {
    return Lanes(hn::Mul(a.v, b.v));
  }
  friend HWY_INLINE Lanes operator/(Lanes a, Lanes b) {
    return Lanes(hn::Div(a.v, b.v));
  }
  friend HWY_INLINE Lanes operator-(Lanes a) { return Lanes(hn::Neg(a.v)); }
  HWY_INLINE Lanes& operator+=(Lanes b) { return *this = *this + b; }
  HWY_INLINE Lanes& operator-=(Lanes b) { return *this = *this - b; }
  HWY_INLINE Lanes& operator*=(Lanes b) { return *this = *this * b; }

  friend HWY_INLINE Mask operator<(Lanes a, Lanes b) {
    return {hn::Lt(a.v, b.v)};
  }
  friend HWY_INLINE Mask operator<=(Lanes a, Lanes b) {
    return {hn::Le(a.v, b.v)};
  }
  friend HWY_INLINE Mask operator>(Lanes a, Lanes b) {
    return {hn::Gt(a.v, b.v)};
  }
  friend HWY_INLINE Mask operator>=(Lanes a, Lanes b) {
    return {hn::Ge(a.v, b.v)};
  }
  friend HWY_INLINE Mask operator==(Lanes a, Lanes b) {
    return {hn::Eq(a.v, b.v)};
  }
  friend HWY_INLINE Mask operator!=(Lanes a, Lanes b) {
    return {hn::Not(hn::Eq(a.v, b.v))};
  }
};

template <class E>
HWY_INLINE Lanes<E> lanes_select(LaneMask<E> mask, Lanes<E> a, Lanes<E> b) {
  return Lanes<E>(hn::IfThenElse(mask.v, a.v, b.v));
}

template <class E>
HWY_INLINE Lanes<E> sqrt(Lanes<E> x) {
  return Lanes<E>(hn::Sqrt(x.v));
}

template <class E>
HWY_INLINE Lanes<E> abs(Lanes<E> x) {
  return Lanes<E>(hn::Abs(x.v));
}

// The magnitude of x with the sign of y.
template <class E>
HWY_INLINE Lanes<E> copysign(Lanes<E> x, Lanes<E> y) {
  return Lanes<E>(hn::CopySign(x.v, y.v));
}

// Rounding to integers: down, up, towards 0, and to nearest with ties to even.
// Without an instruction, Highway's rounding loses the sign of zero.
#if HWY_CAP_GE256
template <class E>
HWY_INLINE Lanes<E> lanes_rounded(typename Lanes<E>::V rounded, Lanes<E>) {
  return Lanes<E>(rounded);
}
#else
template <class E>
HWY_INLINE Lanes<E> lanes_rounded(typename Lanes<E>::V rounded, Lanes<E> x) {
  return copysign(Lanes<E>(rounded), x);
}
#endif

template <class E>
HWY_INLINE Lanes<E> floor(Lanes<E> x) {
  return lanes_rounded(hn::Floor(x.v), x);
}

template <class E>
HWY_INLINE Lanes<E> ceil(Lanes<E> x) {
  return lanes_rounded(hn::Ceil(x.v), x);
}

template <class E>
HWY_INLINE Lanes<E> trunc(Lanes<E> x) {
  return lanes_rounded(hn::Trunc(x.v), x);
}

template <class E>
HWY_INLINE Lanes<E> rint(Lanes<E> x) {
  return lanes_rounded(hn::Round(x.v), x);
}

// a where it is larger (smaller), else b, as the x86 instruction does.
// Highway's emulation treats NaN differently.
template <class E>
HWY_INLINE Lanes<E> lanes_max(Lanes<E> a, Lanes<E> b) {
#if HWY_ARCH_X86 && HWY_TARGET < HWY_EMU128
  return Lanes<E>(hn::Max(a.v, b.v));
#else
  return lanes_select(a > b, a, b);
#endif
}

template <class E>
HWY_INLINE Lanes<E> lanes_min(Lanes<E> a, Lanes<E> b) {
#if HWY_ARCH_X86 && HWY_TARGET < HWY_EMU128
  return Lanes<E>(hn::Min(a.v, b.v));
#else
  return lanes_select(a < b, a, b);
#endif
}

// The lower and upper half of the lanes as doubles. A single lane is the lower
// half.
HWY_INLINE Lanes<double> lanes_widen_lower(Lanes<float> x) {
  return Lanes<double>(hn::PromoteTo(Tag<double>(), hn::LowerHalf(x.v)));
}
#if HWY_TARGET != HWY_SCALAR
HWY_INLINE Lanes<double> lanes_widen_upper(Lanes<float> x) {
  const hn::Half<Tag<float>> half;
  return Lanes<double>(hn::PromoteTo(Tag<double>(), hn::UpperHalf(half, x.v)));
}
#endif

// Reduces all lanes by f; every lane has the result. f must be commutative and
// associative up to rounding.
template <class E, class F>
HWY_INLINE Lanes<E> reduce_lanes(Lanes<E> x, F f) {
  const Tag<E> d;
  if constexpr (kLanes<E> >= 2) x = f(x, Lanes<E>(hn::Reverse2(d, x.v)));
  if constexpr (kLanes<E> >= 4) x = f(x, Lanes<E>(hn::Reverse4(d, x.v)));
  if constexpr (kLanes<E> >= 8) x = f(x, Lanes<E>(hn::Reverse8(d, x.v)));
  if constexpr (kLanes<E> >= 16) x = f(x, Lanes<E>(hn::Reverse(d, x.v)));
  return x;
}

// The first lane set in the mask; negative if there is none.
template <class E>
HWY_INLINE int64_t lanes_find_first(LaneMask<E> mask) {
  return hn::FindFirstTrue(Tag<E>(), mask.v);
}

}  // namespace catena::kernels::CATENA_BACKEND
