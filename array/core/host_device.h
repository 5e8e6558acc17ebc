#pragma once

// Marks functors and helpers compiled for both backends. On the host it also
// forces inlining: kernels are compiled once per instruction set, and if each
// compilation emitted a shared helper out of line, the linker could keep the
// AVX-512 copy for machines without AVX-512.
#ifdef __CUDACC__
#define CATENA_HOST_DEVICE __host__ __device__ inline
#else
#define CATENA_HOST_DEVICE inline __attribute__((always_inline))
#endif

// Marks a loop whose iterations are independent, which the compiler cannot tell
// from the pointers.
#ifdef __clang__
#define CATENA_IVDEP _Pragma("clang loop vectorize(assume_safety)")
#else
#define CATENA_IVDEP _Pragma("GCC ivdep")
#endif

// Kernels use the names of catena::array unqualified.
namespace catena::array {}
namespace catena::kernels {
using namespace array;  // NOLINT(google-build-using-namespace)
}
