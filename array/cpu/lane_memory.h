#pragma once

// Lanes from memory and to it.

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "catena/array/cpu/lane_vector.h"
#include "catena/array/float16.h"
#include "hwy/highway.h"

namespace catena::array::CATENA_BACKEND {

// Loads and stores between memory of storage type S and lanes of the type S is
// computed in. load_some and store_some move n elements, fewer than there are
// lanes, and put `padding` in the lanes after them.
template <class S>
struct LaneMemory {
  using E = S;
  static HWY_INLINE Lanes<E> load(const S* p) {
    return Lanes<E>(hn::LoadU(Tag<E>(), p));
  }
  static HWY_INLINE Lanes<E> load_some(const S* p, int64_t n,
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
  static HWY_INLINE void store_some(Lanes<E> x, S* p, int64_t n) {
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

#if HWY_TARGET == HWY_SCALAR
// Highway's own conversion to float16 cuts here instead of rounding.
HWY_INLINE Lanes<float> lanes_widen(Halves bits, float16) {
  const auto half = std::bit_cast<float16>(hn::GetLane(bits));
  return Lanes<float>(static_cast<float>(half));
}

HWY_INLINE Halves lanes_narrow(Lanes<float> x, float16) {
  return hn::Set(HalfTag(), float16(hn::GetLane(x.v)).bits);
}
#else
HWY_INLINE Lanes<float> lanes_widen(Halves bits, float16) {
  const hn::Rebind<hwy::float16_t, Tag<float>> d;
  return Lanes<float>(hn::PromoteTo(Tag<float>(), hn::BitCast(d, bits)));
}

HWY_INLINE Halves lanes_narrow(Lanes<float> x, float16) {
  const hn::Rebind<hwy::float16_t, Tag<float>> d;
  return hn::BitCast(HalfTag(), hn::DemoteTo(d, x.v));
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

template <class S>
requires std::is_same_v<S, float16> || std::is_same_v<S, bfloat16>
struct LaneMemory<S> {
  using E = float;
  static HWY_INLINE Lanes<E> load(const S* p) {
    const auto* bits = reinterpret_cast<const uint16_t*>(p);
    return lanes_widen(hn::LoadU(HalfTag(), bits), S());
  }
  static HWY_INLINE Lanes<E> load_some(const S* p, int64_t n,
                                       Lanes<E> padding) {
    alignas(64) S padded[kLanes<E>] = {};
    std::memcpy(padded, p, static_cast<size_t>(n) * sizeof(S));
    const auto first = hn::FirstN(Tag<E>(), static_cast<size_t>(n));
    return Lanes<E>(hn::IfThenElse(first, load(padded).v, padding.v));
  }
  static HWY_INLINE void store(Lanes<E> x, S* p) {
    hn::StoreU(lanes_narrow(x, S()), HalfTag(), reinterpret_cast<uint16_t*>(p));
  }
  static HWY_INLINE void store_some(Lanes<E> x, S* p, int64_t n) {
    alignas(64) S padded[kLanes<E>];
    store(x, padded);
    std::memcpy(p, padded, static_cast<size_t>(n) * sizeof(S));
  }
  static HWY_INLINE void stream(Lanes<E> x, S* p) {
#if HWY_CAP_GE256  // else the halves are too short for the instruction
    hn::Stream(lanes_narrow(x, S()), HalfTag(), reinterpret_cast<uint16_t*>(p));
#else
    store(x, p);
#endif
  }
};

}  // namespace catena::array::CATENA_BACKEND
