#pragma once

// The instruction sets for which CPU kernels are compiled, best last. To add
// one, add a row here and its compiler flags in build_defs.bzl.
//
//   X(enumerator of KernelTarget, namespace in catena::kernels, name,
//     whether the processor has it, flags for kernels compiled at run time)
#define CATENA_BASELINE_TARGET(X) \
  X(kCpuBaseline, cpu_baseline, "baseline", true, "")

#ifdef CATENA_ONLY_CPU_BASELINE
// --define=catena_cpu=baseline
#define CATENA_CPU_TARGETS(X) CATENA_BASELINE_TARGET(X)
#else
#define CATENA_HAS_AVX2 \
  (CATENA_CPU_HAS("avx2") && CATENA_CPU_HAS("fma") && CATENA_CPU_HAS("bmi2"))
#define CATENA_AVX2_FLAGS "-mavx2 -mfma -mf16c -mbmi -mbmi2"
#define CATENA_HAS_AVX512                                      \
  (CATENA_HAS_AVX2 && CATENA_CPU_HAS("avx512f") &&             \
   CATENA_CPU_HAS("avx512bw") && CATENA_CPU_HAS("avx512cd") && \
   CATENA_CPU_HAS("avx512dq") && CATENA_CPU_HAS("avx512vl"))
#define CATENA_AVX512_FLAGS                                 \
  CATENA_AVX2_FLAGS                                         \
  " -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512cd " \
  "-mprefer-vector-width=512"

#define CATENA_CPU_TARGETS(X)                                       \
  CATENA_BASELINE_TARGET(X)                                         \
  X(kCpuAvx2, cpu_avx2, "avx2", CATENA_HAS_AVX2, CATENA_AVX2_FLAGS) \
  X(kCpuAvx512, cpu_avx512, "avx512", CATENA_HAS_AVX512, CATENA_AVX512_FLAGS)
#endif
