#pragma once

#include <cstdint>

#include "cublas_v2.h"

// Products by OpenBLAS, for the emulated cuBLAS and cublasLt.
namespace catena::cuda::emulation {

// Column-major.
struct Matrix {
  char* data;
  int64_t ld;
  int64_t stride;  // from one to the next of the batch, in elements
  bool transposed;
};

// C = alpha A B + beta C.
struct Gemm {
  int64_t m;
  int64_t n;
  int64_t k;
  double alpha;
  double beta;
  Matrix a;
  Matrix b;
  Matrix c;
  int64_t batch;
  // Null, or elements of the matrices' type: m, added to every column of C, or
  // n, which receive the sums of B's columns. For a batch of 1.
  const char* bias = nullptr;
  char* b_sums = nullptr;
};

using Multiply = void(const Gemm& gemm);

// Null unless the types go together.
Multiply* find_multiply(cudaDataType type, cublasComputeType_t compute_type);

bool is_operation(cublasOperation_t operation);
bool has_valid_extents(const Gemm& gemm);
bool fits_blas(const Gemm& gemm);

}  // namespace catena::cuda::emulation
