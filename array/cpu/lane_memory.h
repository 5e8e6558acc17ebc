#pragma once

// Loads and stores of lanes.

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "catena/array/core/float16.h"
#include "catena/array/cpu/lane_vector.h"
#include "hwy/highway.h"

namespace catena::kernels::CATENA_BACKEND {

// Loads and stores between memory of storage type S and lanes of its compute
// type. load_partial and store_partial move n elements, fewer than there are
// lanes; load_partial sets the other lanes to `padding`.
template <class S>
struct LaneMemory {
  using E = S;
  static HWY_INLINE Lanes<E> load(const S* p) {
    return Lanes<E>(hn::LoadU(Tag<E>(), p));
  }
  static HWY_INLINE Lanes<E> load_partial(const S* p, int64_t n,
                                          Lanes<E> padding) {
    const Tag<E> d;
    const auto first = hn::FirstN(d, static_cast<size_t>(n));
#if HWY_CAP_GE256
    const auto x = hn::MaskedLoad(first, d, p);
#else
    alignas(64) S padded[kLanes<E>] = {};
    std::memcpy(padded, p, static_cast<size_t>(n) * sizeof(S));
    const auto x = hn::Load(d, padded);
#endif
    return Lanes<E>(hn::IfThenElse(first, x, padding.v));
  }
  static HWY_INLINE void store(Lanes<E> x, S* p) {
    hn::StoreU(x.v, Tag<E>(), p);
  }
  static HWY_INLINE void store_partial(Lanes<E> x, S* p, int64_t n) {
    const Tag<E> d;
#if HWY_CAP_GE256
    hn::BlendedStore(x.v, hn::FirstN(d, static_cast<size_t>(n)), d, p);
#else
    alignas(64) S padded[kLanes<E>];
    hn::Store(x.v, d, padded);
    std::memcpy(p, padded, static_cast<size_t>(n) * sizeof(S));
#endif
  }
  static HWY_INLINE void stream(Lanes<E> x, S* p) {
    hn::Stream(x.v, Tag<E>(), p);
  }
};

// The 16-bit floats are computed in float.
using HalfTag = hn::Rebind<uint16_t, Tag<float>>;
using Halves = hn::Vec<HalfTag>;

#if HWY_CAP_GE256 || HWY_ARCH_ARM
HWY_INLINE Lanes<float> lanes_widen(Halves bits, float16) {
  const hn::Rebind<hwy::float16_t, Tag<float>> d;
  return Lanes<float>(hn::PromoteTo(Tag<float>(), hn::BitCast(d, bits)));
}

HWY_INLINE Halves lanes_narrow(Lanes<float> x, float16) {
  const hn::Rebind<hwy::float16_t, Tag<float>> d;
  return hn::BitCast(HalfTag(), hn::DemoteTo(d, x.v));
}
#else
// Conversions of float16 without an instruction for them. Highway's own lose
// infinities (1.2) or truncate instead of rounding.
HWY_INLINE Lanes<float> lanes_widen(Halves bits, float16) {
  const Tag<uint32_t> d;
  const Tag<float> df;
  const auto word = hn::PromoteTo(d, bits);
  const auto magnitude = hn::And(word, hn::Set(d, 0x7fffu));
  const auto sign = hn::ShiftLeft<16>(hn::Xor(word, magnitude));
  const auto shifted = hn::ShiftLeft<13>(magnitude);
  const auto is_above = [&](uint32_t bound) {
    const hn::RebindToSigned<decltype(d)> di;
    return hn::RebindMask(d, hn::Gt(hn::BitCast(di, magnitude),
                                    hn::Set(di, static_cast<int32_t>(bound))));
  };
  const auto rest =
      hn::Add(shifted,
              hn::IfThenElse(is_above(0x7bffu),  // infinity, NaN
                             hn::Set(d, 0x70000000u), hn::Set(d, 0x38000000u)));
  // Zero and subnormals: add 2^-14 through the exponent and subtract it again.
  const auto small = hn::BitCast(
      d, hn::Sub(hn::BitCast(df, hn::Add(shifted, hn::Set(d, 0x38800000u))),
                 hn::Set(df, 0x1p-14f)));
  const auto value = hn::IfThenElse(is_above(0x3ffu), rest, small);
  return Lanes<float>(hn::BitCast(df, hn::Or(sign, value)));
}

HWY_INLINE Halves lanes_narrow(Lanes<float> x, float16) {
  const Tag<uint32_t> d;
  const Tag<float> df;
  const auto bits = hn::BitCast(d, x.v);
  const auto magnitude = hn::And(bits, hn::Set(d, 0x7fffffffu));
  const auto sign = hn::ShiftRight<16>(hn::Xor(bits, magnitude));
  const auto absolute = hn::BitCast(df, magnitude);
  const auto odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(d, 1u));
  const auto normal = hn::ShiftRight<13>(
      hn::Add(hn::Sub(magnitude, hn::Set(d, 0x38000000u - 0xfffu)), odd));
  // Adding 0.5 aligns the mantissa so that the hardware rounds for us.
  const auto small =
      hn::Sub(hn::BitCast(d, hn::Add(absolute, hn::Set(df, 0.5f))),
              hn::Set(d, 0x3f000000u));
  const auto quiet_nan =
      hn::Or(hn::Set(d, 0x7e00u),
             hn::And(hn::ShiftRight<13>(magnitude), hn::Set(d, 0x3ffu)));
  const auto is_nan = hn::RebindMask(d, hn::Ne(x.v, x.v));
  const auto large = hn::IfThenElse(is_nan, quiet_nan, hn::Set(d, 0x7c00u));
  const auto is_small =
      hn::RebindMask(d, hn::Lt(absolute, hn::Set(df, 0x1p-14f)));
  // Negated, so that NaN counts as large.
  const auto is_large =
      hn::RebindMask(d, hn::Not(hn::Lt(absolute, hn::Set(df, 0x1p16f))));
  const auto value =
      hn::IfThenElse(is_large, large, hn::IfThenElse(is_small, small, normal));
  return hn::TruncateTo(HalfTag(), hn::Or(sign, value));
}
#endif

HWY_INLINE Lanes<float> lanes_widen(Halves bits, bfloat16) {
  const auto word = hn::PromoteTo(Tag<uint32_t>(), bits);
  return Lanes<float>(hn::BitCast(Tag<float>(), hn::ShiftLeft<16>(word)));
}

// Round to nearest even; NaN stays NaN.
HWY_INLINE Halves lanes_narrow(Lanes<float> x, bfloat16) {
  const Tag<uint32_t> d;
  const auto bits = hn::BitCast(d, x.v);
  const auto upper = hn::ShiftRight<16>(bits);
  const auto odd = hn::And(upper, hn::Set(d, 1u));
  const auto rounded =
      hn::ShiftRight<16>(hn::Add(bits, hn::Add(odd, hn::Set(d, 0x7fffu))));
  const auto quiet_nan = hn::Or(upper, hn::Set(d, 0x40u));
  const auto is_nan = hn::RebindMask(d, hn::Not(hn::Eq(x.v, x.v)));
  return hn::TruncateTo(HalfTag(), hn::IfThenElse(is_nan, quiet_nan, rounded));
}

// n halves, fewer than a register holds; the others are 0 when loaded.
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
HWY_INLINE Halves load_some_halves(const void* p, int64_t n) {
  const HalfTag d;
  return hn::MaskedLoad(hn::FirstN(d, static_cast<size_t>(n)), d,
                        static_cast<const uint16_t*>(p));
}
HWY_INLINE void store_some_halves(Halves x, void* p, int64_t n) {
  const HalfTag d;
  hn::BlendedStore(x, hn::FirstN(d, static_cast<size_t>(n)), d,
                   static_cast<uint16_t*>(p));
}
#else
// In pieces of constant size: a call of memcpy takes longer.
template <int64_t piece>
HWY_INLINE void copy_some_halves(char* to, const char* from, int64_t n) {
  if constexpr (piece > 0) {
    if ((n & piece) != 0) {
      std::memcpy(to, from, piece * sizeof(uint16_t));
      to += piece * sizeof(uint16_t);
      from += piece * sizeof(uint16_t);
    }
    copy_some_halves<piece / 2>(to, from, n);
  }
}
inline constexpr int64_t kHalfRegister = kLanes<float> / 2;

HWY_INLINE Halves load_some_halves(const void* p, int64_t n) {
  alignas(32) uint16_t padded[kLanes<float>] = {};
  copy_some_halves<kHalfRegister>(reinterpret_cast<char*>(padded),
                                  static_cast<const char*>(p), n);
  return hn::Load(HalfTag(), padded);
}
HWY_INLINE void store_some_halves(Halves x, void* p, int64_t n) {
  alignas(32) uint16_t padded[kLanes<float>];
  hn::Store(x, HalfTag(), padded);
  copy_some_halves<kHalfRegister>(static_cast<char*>(p),
                                  reinterpret_cast<const char*>(padded), n);
}
#endif

template <class S>
requires std::is_same_v<S, float16> || std::is_same_v<S, bfloat16>
struct LaneMemory<S> {
  using E = float;
  static HWY_INLINE Lanes<E> load(const S* p) {
    const auto* bits = reinterpret_cast<const uint16_t*>(p);
    return lanes_widen(hn::LoadU(HalfTag(), bits), S());
  }
  static HWY_INLINE Lanes<E> load_partial(const S* p, int64_t n,
                                          Lanes<E> padding) {
    const auto x = lanes_widen(load_some_halves(p, n), S());
    const auto first = hn::FirstN(Tag<E>(), static_cast<size_t>(n));
    return Lanes<E>(hn::IfThenElse(first, x.v, padding.v));
  }
  static HWY_INLINE void store(Lanes<E> x, S* p) {
    hn::StoreU(lanes_narrow(x, S()), HalfTag(), reinterpret_cast<uint16_t*>(p));
  }
  static HWY_INLINE void store_partial(Lanes<E> x, S* p, int64_t n) {
    store_some_halves(lanes_narrow(x, S()), p, n);
  }
  static HWY_INLINE void stream(Lanes<E> x, S* p) {
#if HWY_CAP_GE256  // otherwise half a register is too short to stream
    hn::Stream(lanes_narrow(x, S()), HalfTag(), reinterpret_cast<uint16_t*>(p));
#else
    store(x, p);
#endif
  }
};

// Convert n elements between storage type S and its compute type.
template <class S>
HWY_NOINLINE void widen_elements(const char* from, int64_t n,
                                 typename LaneMemory<S>::E* to) {
  using E = typename LaneMemory<S>::E;
  const S* p = reinterpret_cast<const S*>(from);
  int64_t i = 0;
  for (; i + kLanes<E> <= n; i += kLanes<E>) {
    LaneMemory<E>::store(LaneMemory<S>::load(p + i), to + i);
  }
  if (i < n) {
    const Lanes<E> last =
        LaneMemory<S>::load_partial(p + i, n - i, Lanes<E>(0));
    LaneMemory<E>::store_partial(last, to + i, n - i);
  }
}
template <class S>
HWY_NOINLINE void narrow_elements(const typename LaneMemory<S>::E* from,
                                  int64_t n, char* to) {
  using E = typename LaneMemory<S>::E;
  S* p = reinterpret_cast<S*>(to);
  int64_t i = 0;
  for (; i + kLanes<E> <= n; i += kLanes<E>) {
    LaneMemory<S>::store(LaneMemory<E>::load(from + i), p + i);
  }
  if (i < n) {
    const Lanes<E> last =
        LaneMemory<E>::load_partial(from + i, n - i, Lanes<E>(0));
    LaneMemory<S>::store_partial(last, p + i, n - i);
  }
}

}  // namespace catena::kernels::CATENA_BACKEND
