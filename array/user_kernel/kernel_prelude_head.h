// The beginning of every generated kernel, before array/core/float16.h: what
// NVRTC lacks from the C++ library.
#ifdef __CUDACC_RTC__
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef decltype(sizeof(0)) size_t;
typedef decltype((char*)0 - (char*)0) ptrdiff_t;
namespace std {
template <class To, class From>
__device__ constexpr To bit_cast(const From& from) {
  return __builtin_bit_cast(To, from);
}
}  // namespace std
#define CATENA_HOST_DEVICE __device__ inline
#define CATENA_DEVICE __device__ inline
#else
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#define CATENA_HOST_DEVICE inline
#define CATENA_DEVICE inline __attribute__((always_inline))
#define __device__
#define __host__
#define __forceinline__ inline
#define __restrict__ __restrict
#endif
