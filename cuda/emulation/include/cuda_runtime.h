#pragma once

// What nvcc includes before each source.
#include "cuda_runtime_api.h"

template <class T>
cudaError_t cudaMalloc(T** data, size_t bytes) {
  return cudaMalloc(reinterpret_cast<void**>(data), bytes);
}
