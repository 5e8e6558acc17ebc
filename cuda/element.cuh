#pragma once

// How kernels read and write elements: compute types, conversions, packs.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "catena/array/core/float16.h"

namespace catena::cuda {

// The compute type of a stored element.
template <class S>
using Compute = std::conditional_t<
    std::is_same_v<S, float16> || std::is_same_v<S, bfloat16>, float, S>;

// 16-bit types by the hardware's conversions, which round as float16.h does; an
// emulated device converts as the host.
template <class S>
__device__ __forceinline__ Compute<S> widen(S stored) {
#ifndef CATENA_EMULATED_CUDA
  if constexpr (std::is_same_v<S, float16>) {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(stored.bits));
    return value;
  }
#endif
  return static_cast<Compute<S>>(stored);
}

template <class S, class T>
__device__ __forceinline__ S narrow(T value) {
#ifndef CATENA_EMULATED_CUDA
  if constexpr (std::is_same_v<S, float16>) {
    float16 stored;
    asm("cvt.rn.f16.f32 %0, %1;"
        : "=h"(stored.bits)
        : "f"(static_cast<float>(value)));
    return stored;
  }
#if __CUDA_ARCH__ >= 800
  if constexpr (std::is_same_v<S, bfloat16>) {
    bfloat16 stored;
    asm("cvt.rn.bf16.f32 %0, %1;"
        : "=h"(stored.bits)
        : "f"(static_cast<float>(value)));
    return stored;
  }
#endif
#endif
  if constexpr (std::is_same_v<S, float16> || std::is_same_v<S, bfloat16>) {
    return S(static_cast<float>(value));
  } else {
    return static_cast<S>(value);
  }
}

// Adjacent elements that are read and written with one access.
template <class S, int kSize>
struct alignas(sizeof(S) * kSize) Pack {
  S elements[kSize];
};

#ifndef CATENA_EMULATED_CUDA
// The type that is read or written by one access of so many bytes.
template <int kBytes>
using Access = std::conditional_t<
    kBytes == 16, uint4,
    std::conditional_t<
        kBytes == 8, uint2,
        std::conditional_t<
            kBytes == 4, uint32_t,
            std::conditional_t<kBytes == 2, uint16_t, uint8_t>>>>;
#endif

// As many elements as the widest access has, 16 bytes.
template <class S>
inline constexpr int kWidestPack = static_cast<int>(16 / sizeof(S));

// Reads and writes a pack in global memory, which must be aligned to its size,
// by one access of up to 16 bytes: compilers turn copies of structs into one
// access per element, and of assignments of uint4 they leave four stores at
// times.
template <int kSize, class S>
__device__ __forceinline__ Pack<S, kSize> load_pack(const S* from) {
#ifdef CATENA_EMULATED_CUDA
  return *reinterpret_cast<const Pack<S, kSize>*>(from);
#else
  return __builtin_bit_cast(
      Pack<S, kSize>,
      *reinterpret_cast<const Access<sizeof(Pack<S, kSize>)>*>(from));
#endif
}
template <int kSize, class S>
__device__ __forceinline__ void store_pack(S* to, const Pack<S, kSize>& pack) {
#ifdef CATENA_EMULATED_CUDA
  *reinterpret_cast<Pack<S, kSize>*>(to) = pack;
#else
  using Word = Access<sizeof(Pack<S, kSize>)>;
  __stwb(reinterpret_cast<Word*>(to), __builtin_bit_cast(Word, pack));
#endif
}

template <class S, int kSize>
__device__ __forceinline__ void widen(const Pack<S, kSize>& stored,
                                      Compute<S> (&values)[kSize]) {
#pragma unroll
  for (int j = 0; j < kSize; ++j) values[j] = widen(stored.elements[j]);
}

// Two elements of a 16-bit type, the lower half first, by one instruction.
template <class S>
__device__ __forceinline__ uint32_t narrow_pair(float low, float high) {
#if !defined(CATENA_EMULATED_CUDA) && __CUDA_ARCH__ >= 800
  uint32_t pair;
  if constexpr (std::is_same_v<S, float16>) {
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  } else {
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  }
  return pair;
#else
  return narrow<S>(low).bits | uint32_t{narrow<S>(high).bits} << 16;
#endif
}

template <class S, int kSize>
__device__ __forceinline__ Pack<S, kSize> narrow(
    const Compute<S> (&values)[kSize]) {
  constexpr bool kIs16Bit =
      std::is_same_v<S, float16> || std::is_same_v<S, bfloat16>;
  Pack<S, kSize> stored;
  if constexpr (kIs16Bit && kSize % 2 == 0) {
#pragma unroll
    for (int j = 0; j < kSize; j += 2) {
      const uint32_t pair = narrow_pair<S>(values[j], values[j + 1]);
      stored.elements[j].bits = static_cast<uint16_t>(pair);
      stored.elements[j + 1].bits = static_cast<uint16_t>(pair >> 16);
    }
  } else {
#pragma unroll
    for (int j = 0; j < kSize; ++j) stored.elements[j] = narrow<S>(values[j]);
  }
  return stored;
}

// Reads an element from the bytes of an immediate.
template <class S>
__device__ __forceinline__ S element_of(const char (&bytes)[8]) {
  S element;
  memcpy(&element, bytes, sizeof(S));
  return element;
}

}  // namespace catena::cuda
