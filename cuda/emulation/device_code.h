#pragma once

// CUDA C++ for the host's compiler: what kernels use of the language and of the
// device's functions. The emulated nvcc includes it before each source.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "catena/cuda/emulation/block.h"
#include "catena/cuda/emulation/kernel_registry.h"
#include "catena/cuda/emulation/runtime.h"
#include "cuda_runtime.h"

#define CATENA_EMULATED_CUDA

#define __global__
#define __device__
// Inlined always, since the host's own code defines such functions differently
// (__CUDA_ARCH__).
#define __host__ __attribute__((always_inline))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__
#define __launch_bounds__(...)
// One block runs at a time: the runtime's lock is held. (Memory of each thread
// of the host would be larger than small stacks.)
#define __shared__ static

// NOLINTBEGIN(google-global-names-in-headers): CUDA's own names.
using catena::cuda::emulation::blockDim;
using catena::cuda::emulation::blockIdx;
using catena::cuda::emulation::gridDim;
using catena::cuda::emulation::threadIdx;

inline void __syncthreads() { catena::cuda::emulation::wait_for_block(); }
inline void __syncwarp(unsigned mask = 0xffffffffu) {
  catena::cuda::emulation::wait_for_warp(mask);
}
inline void __threadfence() {}
inline void __threadfence_system() {}

template <class T>
T __shfl_sync(unsigned mask, T value, int lane) {
  return catena::cuda::emulation::exchange(mask, value,
                                           [=](int) { return lane % 32; });
}
// Lanes past the end keep their own values.
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned distance) {
  return catena::cuda::emulation::exchange(mask, value, [=](int own) {
    const int other = own + static_cast<int>(distance);
    return other < 32 ? other : own;
  });
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned distance) {
  return catena::cuda::emulation::exchange(mask, value, [=](int own) {
    const int other = own - static_cast<int>(distance);
    return other >= 0 ? other : own;
  });
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int bits) {
  return catena::cuda::emulation::exchange(mask, value,
                                           [=](int own) { return own ^ bits; });
}

// Atomic functions return the old value. Only one thread of the host runs
// kernels.
template <class T>
T atomicAdd(T* at, std::type_identity_t<T> value) {
  const T old = *at;
  *at = old + value;
  return old;
}
template <class T>
T atomicMin(T* at, std::type_identity_t<T> value) {
  const T old = *at;
  if (value < old) *at = value;
  return old;
}
template <class T>
T atomicMax(T* at, std::type_identity_t<T> value) {
  const T old = *at;
  if (old < value) *at = value;
  return old;
}
template <class T>
T atomicOr(T* at, std::type_identity_t<T> bits) {
  const T old = *at;
  *at = old | bits;
  return old;
}
template <class T>
T atomicExch(T* at, std::type_identity_t<T> value) {
  const T old = *at;
  *at = value;
  return old;
}
template <class T>
T atomicCAS(T* at, std::type_identity_t<T> expected,
            std::type_identity_t<T> value) {
  const T old = *at;
  if (old == expected) *at = value;
  return old;
}

// The smaller and the larger of two numbers; of a number and NaN, the number.
template <class A, class B>
requires std::is_arithmetic_v<A> && std::is_arithmetic_v<B>
constexpr auto min(A a, B b) {
  using T = std::common_type_t<A, B>;
  if constexpr (std::is_floating_point_v<T>) {
    return std::fmin(static_cast<T>(a), static_cast<T>(b));
  } else {
    return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b)
                                                 : static_cast<T>(a);
  }
}
template <class A, class B>
requires std::is_arithmetic_v<A> && std::is_arithmetic_v<B>
constexpr auto max(A a, B b) {
  using T = std::common_type_t<A, B>;
  if constexpr (std::is_floating_point_v<T>) {
    return std::fmax(static_cast<T>(a), static_cast<T>(b));
  } else {
    return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b)
                                                 : static_cast<T>(a);
  }
}

// Rounded products and sums that are never fused: sources are compiled with
// -ffp-contract=off.
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dmul_rn(double a, double b) { return a * b; }
// NOLINTEND(google-global-names-in-headers)
