#include "catena/cuda/emulation/nvrtc_prelude.h"

namespace catena::cuda::emulation {

const char* const kNvrtcPrelude = R"prelude(
#define __global__
#define __device__
#define __host__
#define __constant__
#define __shared__ static
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(n) alignas(n)

typedef decltype(sizeof(0)) size_t;
typedef decltype((char*)0 - (char*)0) ptrdiff_t;

namespace std {
template <class T> struct remove_reference { typedef T type; };
template <class T> struct remove_reference<T&> { typedef T type; };
template <class T> struct remove_reference<T&&> { typedef T type; };
template <class T>
constexpr typename remove_reference<T>::type&& move(T&& value) noexcept {
  return static_cast<typename remove_reference<T>::type&&>(value);
}
template <class T>
constexpr T&& forward(typename remove_reference<T>::type& value) noexcept {
  return static_cast<T&&>(value);
}
}  // namespace std
inline void* operator new(size_t, void* at) noexcept { return at; }
extern "C" int printf(const char*, ...);

// ---- Vectors

#define CATENA_VECTORS(T, name, align2, align4)                                \
  struct name##1 { T x; };                                                     \
  struct alignas(align2) name##2 { T x, y; };                                  \
  struct name##3 { T x, y, z; };                                               \
  struct alignas(align4) name##4 { T x, y, z, w; };                            \
  inline name##1 make_##name##1(T x) { return {x}; }                           \
  inline name##2 make_##name##2(T x, T y) { return {x, y}; }                   \
  inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }           \
  inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
CATENA_VECTORS(signed char, char, 2, 4)
CATENA_VECTORS(unsigned char, uchar, 2, 4)
CATENA_VECTORS(short, short, 4, 8)
CATENA_VECTORS(unsigned short, ushort, 4, 8)
CATENA_VECTORS(int, int, 8, 16)
CATENA_VECTORS(unsigned, uint, 8, 16)
CATENA_VECTORS(long, long, 16, 16)
CATENA_VECTORS(unsigned long, ulong, 16, 16)
CATENA_VECTORS(long long, longlong, 16, 16)
CATENA_VECTORS(unsigned long long, ulonglong, 16, 16)
CATENA_VECTORS(float, float, 8, 16)
CATENA_VECTORS(double, double, 16, 16)
#undef CATENA_VECTORS
struct dim3 {
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1)
      : x(x), y(y), z(z) {}
  unsigned x, y, z;
};

// ---- The device. The structs must match cuda/emulation/loaded_code.h.

namespace catena_emulation {

struct DeviceFunctions {
  const uint3* (*thread_idx)();
  const uint3* (*block_idx)();
  const dim3* (*block_dim)();
  const dim3* (*grid_dim)();
  void (*wait_for_block)();
  void (*wait_for_warp)(unsigned mask);
  char (*(*next_exchange)())[16];
  int (*lane)();
};
struct CompiledParam {
  size_t size;
  size_t alignment;
};
struct CompiledKernel {
  void (*function)();
  void (*run)(void (*function)(), void* const* params);
  const CompiledParam* params;
  size_t count;
};

// Only one thread of the host runs kernels at a time.
static const DeviceFunctions* device;
static const uint3* thread_index;
static const uint3* block_index;
static const dim3* block_shape;
static const dim3* grid_shape;
alignas(128) static char dynamic_shared[227 << 10];

template <int... i> struct Indices {};
template <int n, int... rest>
struct MakeIndices : MakeIndices<n - 1, n - 1, rest...> {};
template <int... rest>
struct MakeIndices<0, rest...> { typedef Indices<rest...> type; };

template <class... P>
struct Caller {
  template <int... i>
  static void call(void (*kernel)(P...), void* const* params, Indices<i...>) {
    kernel(*static_cast<P*>(params[i])...);
  }
  static void run(void (*function)(), void* const* params) {
    thread_index = device->thread_idx();
    block_index = device->block_idx();
    block_shape = device->block_dim();
    grid_shape = device->grid_dim();
    call(reinterpret_cast<void (*)(P...)>(function), params,
         typename MakeIndices<sizeof...(P)>::type());
  }
  static constexpr CompiledParam kParams[] = {{sizeof(P), alignof(P)}...,
                                              {0, 0}};
};

template <class... P>
CompiledKernel describe(void (*kernel)(P...)) {
  return {reinterpret_cast<void (*)()>(kernel), Caller<P...>::run,
          Caller<P...>::kParams, sizeof...(P)};
}

// Threads of the running warp.
inline int warp_size() {
  const int size =
      static_cast<int>(block_shape->x * block_shape->y * block_shape->z);
  const int own = static_cast<int>(
      (thread_index->z * block_shape->y + thread_index->y) * block_shape->x +
      thread_index->x);
  const int first = own / 32 * 32;
  return size - first < 32 ? size - first : 32;
}

template <class T>
T exchange(unsigned mask, const T& value, int source) {
  static_assert(sizeof(T) <= 16);
  char(*const slots)[16] = device->next_exchange();
  __builtin_memcpy(slots[device->lane()], &value, sizeof(T));
  device->wait_for_warp(mask);
  T result;
  __builtin_memcpy(&result, slots[source], sizeof(T));
  return result;
}

// Folds the values of the lanes in the mask, in order.
template <class T, class Op>
T fold(unsigned mask, const T& value, T start, Op op) {
  char(*const slots)[16] = device->next_exchange();
  __builtin_memcpy(slots[device->lane()], &value, sizeof(T));
  device->wait_for_warp(mask);
  for (int lane = 0; lane < warp_size(); ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    T other;
    __builtin_memcpy(&other, slots[lane], sizeof(T));
    start = op(start, other, lane);
  }
  return start;
}

static int votes;
inline int count_votes(bool vote) {
  device->wait_for_block();
  votes = 0;
  device->wait_for_block();
  votes += vote ? 1 : 0;
  device->wait_for_block();
  return votes;
}

}  // namespace catena_emulation

#define threadIdx (*catena_emulation::thread_index)
#define blockIdx (*catena_emulation::block_index)
#define blockDim (*catena_emulation::block_shape)
#define gridDim (*catena_emulation::grid_shape)
static constexpr int warpSize = 32;

inline void __syncthreads() { catena_emulation::device->wait_for_block(); }
inline int __syncthreads_count(int vote) {
  return catena_emulation::count_votes(vote != 0);
}
inline int __syncthreads_or(int vote) { return __syncthreads_count(vote) > 0; }
inline int __syncthreads_and(int vote) {
  return __syncthreads_count(vote == 0) == 0;
}
inline void __syncwarp(unsigned mask = 0xffffffffu) {
  catena_emulation::device->wait_for_warp(mask);
}
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}
inline void __trap() { __builtin_trap(); }
template <class T>
T __ldg(const T* at) { return *at; }

// Within groups of `width` lanes; a source outside the group is the own lane.
template <class T>
T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {
  const int own = catena_emulation::device->lane();
  return catena_emulation::exchange(
      mask, value, own / width * width + (lane & (width - 1)));
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned distance, int width = 32) {
  const int own = catena_emulation::device->lane();
  const int other = own - static_cast<int>(distance);
  return catena_emulation::exchange(mask, value,
                                    other >= own / width * width ? other : own);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned distance, int width = 32) {
  const int own = catena_emulation::device->lane();
  const int other = own + static_cast<int>(distance);
  return catena_emulation::exchange(
      mask, value, other < (own / width + 1) * width ? other : own);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
  const int own = catena_emulation::device->lane();
  const int other = own ^ bits;
  return catena_emulation::exchange(
      mask, value, other < (own / width + 1) * width ? other : own);
}
inline unsigned __ballot_sync(unsigned mask, int vote) {
  return catena_emulation::fold(
      mask, vote != 0 ? 1u : 0u, 0u,
      [](unsigned all, unsigned one, int lane) { return all | one << lane; });
}
inline int __any_sync(unsigned mask, int vote) {
  return __ballot_sync(mask, vote) != 0;
}
inline int __all_sync(unsigned mask, int vote) {
  return __ballot_sync(mask, vote == 0) == 0;
}
#define CATENA_WARP_REDUCTION(name, T, start, expression)                \
  inline T name(unsigned mask, T value) {                                \
    return catena_emulation::fold(                                       \
        mask, value, static_cast<T>(start),                              \
        [](T a, T b, int) { return static_cast<T>(expression); });       \
  }
CATENA_WARP_REDUCTION(__reduce_add_sync, unsigned, 0, a + b)
CATENA_WARP_REDUCTION(__reduce_add_sync, int, 0, a + b)
CATENA_WARP_REDUCTION(__reduce_min_sync, unsigned, ~0u, a < b ? a : b)
CATENA_WARP_REDUCTION(__reduce_min_sync, int, 0x7fffffff, a < b ? a : b)
CATENA_WARP_REDUCTION(__reduce_max_sync, unsigned, 0, a < b ? b : a)
CATENA_WARP_REDUCTION(__reduce_max_sync, int, -0x7fffffff - 1, a < b ? b : a)
CATENA_WARP_REDUCTION(__reduce_and_sync, unsigned, ~0u, a & b)
CATENA_WARP_REDUCTION(__reduce_or_sync, unsigned, 0, a | b)
CATENA_WARP_REDUCTION(__reduce_xor_sync, unsigned, 0, a ^ b)
#undef CATENA_WARP_REDUCTION

// ---- Atomic functions. They return the old value.

#define CATENA_ATOMIC(name, T, expression)        \
  inline T name(T* at, T value) {                 \
    const T old = *at;                            \
    *at = static_cast<T>(expression);             \
    return old;                                   \
  }
CATENA_ATOMIC(atomicAdd, int, (unsigned)old + (unsigned)value)
CATENA_ATOMIC(atomicAdd, unsigned, old + value)
CATENA_ATOMIC(atomicAdd, unsigned long long, old + value)
CATENA_ATOMIC(atomicAdd, float, old + value)
CATENA_ATOMIC(atomicAdd, double, old + value)
CATENA_ATOMIC(atomicSub, int, (unsigned)old - (unsigned)value)
CATENA_ATOMIC(atomicSub, unsigned, old - value)
CATENA_ATOMIC(atomicExch, float, value)
CATENA_ATOMIC(atomicInc, unsigned, old >= value ? 0 : old + 1)
CATENA_ATOMIC(atomicDec, unsigned, old == 0 || old > value ? value : old - 1)
#define CATENA_ATOMICS(T)                                  \
  CATENA_ATOMIC(atomicAnd, T, old & value)                 \
  CATENA_ATOMIC(atomicOr, T, old | value)                  \
  CATENA_ATOMIC(atomicXor, T, old ^ value)                 \
  CATENA_ATOMIC(atomicMin, T, value < old ? value : old)   \
  CATENA_ATOMIC(atomicMax, T, old < value ? value : old)   \
  CATENA_ATOMIC(atomicExch, T, value)                      \
  inline T atomicCAS(T* at, T expected, T value) {         \
    const T old = *at;                                     \
    if (old == expected) *at = value;                      \
    return old;                                            \
  }
CATENA_ATOMICS(int)
CATENA_ATOMICS(unsigned)
CATENA_ATOMICS(unsigned long long)
CATENA_ATOMIC(atomicMin, long long, value < old ? value : old)
CATENA_ATOMIC(atomicMax, long long, old < value ? value : old)
#undef CATENA_ATOMICS
#undef CATENA_ATOMIC

// ---- Mathematics

namespace catena_emulation {
// A number that is not a float counts as a double.
template <class T> struct Integer {};
template <class A, class B> struct Mixed {};
#define CATENA_INTEGER(T)                                       \
  template <> struct Integer<T> { typedef double type; };       \
  template <> struct Mixed<T, T> { typedef double type; };      \
  template <> struct Mixed<T, float> { typedef double type; };  \
  template <> struct Mixed<float, T> { typedef double type; };  \
  template <> struct Mixed<T, double> { typedef double type; }; \
  template <> struct Mixed<double, T> { typedef double type; };
CATENA_INTEGER(bool)
CATENA_INTEGER(char)
CATENA_INTEGER(signed char)
CATENA_INTEGER(unsigned char)
CATENA_INTEGER(short)
CATENA_INTEGER(unsigned short)
CATENA_INTEGER(int)
CATENA_INTEGER(unsigned)
CATENA_INTEGER(long)
CATENA_INTEGER(unsigned long)
CATENA_INTEGER(long long)
CATENA_INTEGER(unsigned long long)
#undef CATENA_INTEGER
template <> struct Mixed<float, double> { typedef double type; };
template <> struct Mixed<double, float> { typedef double type; };
}  // namespace catena_emulation

#define CATENA_UNARY(name)                                           \
  extern "C" double name(double) noexcept;                           \
  extern "C" float name##f(float) noexcept;                          \
  inline float name(float x) { return name##f(x); }                  \
  template <class T>                                                 \
  inline typename catena_emulation::Integer<T>::type name(T x) {     \
    return name(static_cast<double>(x));                             \
  }
CATENA_UNARY(acos)
CATENA_UNARY(acosh)
CATENA_UNARY(asin)
CATENA_UNARY(asinh)
CATENA_UNARY(atan)
CATENA_UNARY(atanh)
CATENA_UNARY(cbrt)
CATENA_UNARY(ceil)
CATENA_UNARY(cos)
CATENA_UNARY(cosh)
CATENA_UNARY(erf)
CATENA_UNARY(erfc)
CATENA_UNARY(exp)
CATENA_UNARY(exp10)
CATENA_UNARY(exp2)
CATENA_UNARY(expm1)
CATENA_UNARY(fabs)
CATENA_UNARY(floor)
CATENA_UNARY(j0)
CATENA_UNARY(j1)
CATENA_UNARY(lgamma)
CATENA_UNARY(log)
CATENA_UNARY(log10)
CATENA_UNARY(log1p)
CATENA_UNARY(log2)
CATENA_UNARY(logb)
CATENA_UNARY(nearbyint)
CATENA_UNARY(rint)
CATENA_UNARY(round)
CATENA_UNARY(sin)
CATENA_UNARY(sinh)
CATENA_UNARY(sqrt)
CATENA_UNARY(tan)
CATENA_UNARY(tanh)
CATENA_UNARY(tgamma)
CATENA_UNARY(trunc)
CATENA_UNARY(y0)
CATENA_UNARY(y1)
#undef CATENA_UNARY

#define CATENA_BINARY(name)                                            \
  extern "C" double name(double, double) noexcept;                     \
  extern "C" float name##f(float, float) noexcept;                     \
  inline float name(float x, float y) { return name##f(x, y); }        \
  template <class A, class B>                                          \
  inline typename catena_emulation::Mixed<A, B>::type name(A x, B y) { \
    return name(static_cast<double>(x), static_cast<double>(y));       \
  }
CATENA_BINARY(atan2)
CATENA_BINARY(copysign)
CATENA_BINARY(fdim)
CATENA_BINARY(fmax)
CATENA_BINARY(fmin)
CATENA_BINARY(fmod)
CATENA_BINARY(hypot)
CATENA_BINARY(nextafter)
CATENA_BINARY(pow)
CATENA_BINARY(remainder)
#undef CATENA_BINARY
inline float pow(float x, int y) { return powf(x, static_cast<float>(y)); }
inline double pow(double x, int y) { return pow(x, static_cast<double>(y)); }

extern "C" double fma(double, double, double) noexcept;
extern "C" float fmaf(float, float, float) noexcept;
inline float fma(float x, float y, float z) { return fmaf(x, y, z); }
extern "C" double ldexp(double, int) noexcept;
extern "C" float ldexpf(float, int) noexcept;
inline float ldexp(float x, int n) { return ldexpf(x, n); }
extern "C" double scalbn(double, int) noexcept;
extern "C" float scalbnf(float, int) noexcept;
inline float scalbn(float x, int n) { return scalbnf(x, n); }
extern "C" double frexp(double, int*) noexcept;
extern "C" float frexpf(float, int*) noexcept;
inline float frexp(float x, int* n) { return frexpf(x, n); }
extern "C" double modf(double, double*) noexcept;
extern "C" float modff(float, float*) noexcept;
inline float modf(float x, float* whole) { return modff(x, whole); }
extern "C" int ilogb(double) noexcept;
extern "C" int ilogbf(float) noexcept;
inline int ilogb(float x) { return ilogbf(x); }
extern "C" long lrint(double) noexcept;
extern "C" long lrintf(float) noexcept;
inline long lrint(float x) { return lrintf(x); }
extern "C" long lround(double) noexcept;
extern "C" long lroundf(float) noexcept;
inline long lround(float x) { return lroundf(x); }
extern "C" long long llrint(double) noexcept;
extern "C" long long llrintf(float) noexcept;
inline long long llrint(float x) { return llrintf(x); }
extern "C" long long llround(double) noexcept;
extern "C" long long llroundf(float) noexcept;
inline long long llround(float x) { return llroundf(x); }

inline bool isnan(float x) { return __builtin_isnan(x); }
inline bool isnan(double x) { return __builtin_isnan(x); }
inline bool isinf(float x) { return __builtin_isinf(x); }
inline bool isinf(double x) { return __builtin_isinf(x); }
inline bool isfinite(float x) { return __builtin_isfinite(x); }
inline bool isfinite(double x) { return __builtin_isfinite(x); }
inline bool signbit(float x) { return __builtin_signbit(x); }
inline bool signbit(double x) { return __builtin_signbit(x); }

inline double rsqrt(double x) { return 1 / sqrt(x); }
inline float rsqrtf(float x) { return 1 / sqrtf(x); }
inline float rsqrt(float x) { return rsqrtf(x); }
inline double rcbrt(double x) { return 1 / cbrt(x); }
inline float rcbrtf(float x) { return 1 / cbrtf(x); }
inline float rcbrt(float x) { return rcbrtf(x); }
inline double sinpi(double x) {
  return sin(remainder(x, 2) * 3.141592653589793);
}
inline double cospi(double x) {
  return cos(remainder(x, 2) * 3.141592653589793);
}
inline float sinpif(float x) { return (float)sinpi((double)x); }
inline float cospif(float x) { return (float)cospi((double)x); }
inline float sinpi(float x) { return sinpif(x); }
inline float cospi(float x) { return cospif(x); }
inline void sincos(double x, double* s, double* c) { *s = sin(x), *c = cos(x); }
inline void sincosf(float x, float* s, float* c) { *s = sinf(x), *c = cosf(x); }
inline void sincos(float x, float* s, float* c) { sincosf(x, s, c); }
inline double normcdf(double x) { return erfc(x * -0.7071067811865476) / 2; }
inline float normcdff(float x) { return (float)normcdf((double)x); }
inline float normcdf(float x) { return normcdff(x); }

extern "C" int abs(int) noexcept;
extern "C" long labs(long) noexcept;
extern "C" long long llabs(long long) noexcept;
inline long abs(long x) { return labs(x); }
inline long long abs(long long x) { return llabs(x); }
inline float abs(float x) { return fabsf(x); }
inline double abs(double x) { return fabs(x); }

// NaN beside a number is ignored.
#define CATENA_MIN_MAX(A, B, T)                                             \
  inline T max(A a, B b) { return (T)a < (T)b ? (T)b : (T)a; }              \
  inline T min(A a, B b) { return (T)b < (T)a ? (T)b : (T)a; }
CATENA_MIN_MAX(int, int, int)
CATENA_MIN_MAX(unsigned, unsigned, unsigned)
CATENA_MIN_MAX(int, unsigned, unsigned)
CATENA_MIN_MAX(unsigned, int, unsigned)
CATENA_MIN_MAX(long, long, long)
CATENA_MIN_MAX(unsigned long, unsigned long, unsigned long)
CATENA_MIN_MAX(long, unsigned long, unsigned long)
CATENA_MIN_MAX(unsigned long, long, unsigned long)
CATENA_MIN_MAX(long long, long long, long long)
CATENA_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
CATENA_MIN_MAX(long long, unsigned long long, unsigned long long)
CATENA_MIN_MAX(unsigned long long, long long, unsigned long long)
#undef CATENA_MIN_MAX
#define CATENA_MIN_MAX(A, B, T)                           \
  inline T max(A a, B b) { return fmax((T)a, (T)b); }     \
  inline T min(A a, B b) { return fmin((T)a, (T)b); }
CATENA_MIN_MAX(float, float, float)
CATENA_MIN_MAX(double, double, double)
CATENA_MIN_MAX(float, double, double)
CATENA_MIN_MAX(double, float, double)
#undef CATENA_MIN_MAX

// ---- Intrinsics

inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __frcp_rn(float a) { return 1 / a; }
inline float __fsqrt_rn(float a) { return sqrtf(a); }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __dsqrt_rn(double a) { return sqrt(a); }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
inline float __expf(float x) { return expf(x); }
inline float __exp10f(float x) { return exp10f(x); }
inline float __logf(float x) { return logf(x); }
inline float __log2f(float x) { return log2f(x); }
inline float __log10f(float x) { return log10f(x); }
inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline float __tanf(float x) { return tanf(x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline float __fdividef(float x, float y) { return x / y; }
inline float fdividef(float x, float y) { return x / y; }
inline float __saturatef(float x) { return fminf(fmaxf(x, 0.f), 1.f); }

#define CATENA_BITS(name, To, From)                         \
  inline To name(From from) {                               \
    To to;                                                  \
    __builtin_memcpy(&to, &from, sizeof(to));               \
    return to;                                              \
  }
CATENA_BITS(__float_as_int, int, float)
CATENA_BITS(__float_as_uint, unsigned, float)
CATENA_BITS(__int_as_float, float, int)
CATENA_BITS(__uint_as_float, float, unsigned)
CATENA_BITS(__double_as_longlong, long long, double)
CATENA_BITS(__longlong_as_double, double, long long)
#undef CATENA_BITS
inline int __float2int_rn(float x) { return (int)rintf(x); }
inline int __float2int_rz(float x) { return (int)x; }
inline int __float2int_rd(float x) { return (int)floorf(x); }
inline int __float2int_ru(float x) { return (int)ceilf(x); }
inline unsigned __float2uint_rn(float x) { return (unsigned)rintf(x); }
inline float __int2float_rn(int x) { return (float)x; }
inline float __uint2float_rn(unsigned x) { return (float)x; }
inline float __double2float_rn(double x) { return (float)x; }
inline int __double2int_rn(double x) { return (int)rint(x); }

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned)x); }
inline int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll((unsigned long long)x);
}
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __brev(unsigned x) {
  unsigned y = 0;
  for (int i = 0; i < 32; ++i) y |= (x >> i & 1u) << (31 - i);
  return y;
}
inline int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) {
  return (unsigned)((unsigned long long)a * b >> 32);
}
inline long long __mul64hi(long long a, long long b) {
  return (long long)((__int128)a * b >> 64);
}
inline unsigned long long __umul64hi(unsigned long long a,
                                     unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
)prelude";

}  // namespace catena::cuda::emulation
