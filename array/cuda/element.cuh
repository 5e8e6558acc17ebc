#pragma once

// How kernels read and write elements: compute types, conversions, packs.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "catena/array/float16.h"

namespace catena::cuda {

// The compute type of a stored element.
template <class S>
using Compute = std::conditional_t<
    std::is_same_v<S, float16> || std::is_same_v<S, bfloat16>, float, S>;

// float16 by the hardware's conversions, which round as float16.h does; an
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

// Reads an element from the bytes of an immediate.
template <class S>
__device__ __forceinline__ S element_of(const char (&bytes)[8]) {
  S element;
  memcpy(&element, bytes, sizeof(S));
  return element;
}

}  // namespace catena::cuda
