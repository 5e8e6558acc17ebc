#pragma once

// Marks the functors and helpers that both backends compile. On the host it
// also forces inlining: kernels are compiled once per instruction set, and a
// shared helper that had an out-of-line copy in each could end up, by the
// linker's choice, as AVX-512 code on a machine without it.
#ifdef __CUDACC__
#define CATENA_HOST_DEVICE __host__ __device__ inline
#else
#define CATENA_HOST_DEVICE inline __attribute__((always_inline))
#endif

// Before a loop whose iterations do not depend on each other, though the
// compiler cannot see that from the pointers.
#ifdef __clang__
#define CATENA_IVDEP _Pragma("clang loop vectorize(assume_safety)")
#else
#define CATENA_IVDEP _Pragma("GCC ivdep")
#endif

// Kernels run over arrays, whose names they have at hand.
namespace catena::array {}
namespace catena::kernels {
using namespace array;  // NOLINT(google-build-using-namespace)
}
