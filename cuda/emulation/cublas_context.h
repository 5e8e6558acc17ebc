#pragma once

#include <cstddef>

#include "cublas_v2.h"

// A handle of the emulated cuBLAS, which is one of cublasLt too.
struct cublasContext {
  int device;
  cudaStream_t stream = nullptr;
  void* workspace = nullptr;
  size_t workspace_bytes = 0;
  cublasMath_t math = CUBLAS_DEFAULT_MATH;
};
