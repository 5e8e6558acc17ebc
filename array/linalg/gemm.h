#pragma once

#include <cstdint>
#include <string_view>

#include "catena/array/core/shape.h"
#include "catena/array/kernels/kernel_slot.h"

// The interface between matrix products and their kernels (BLAS).
namespace catena::array {

// C = alpha A B + beta C for every index of the batch axes, where A is (m, k),
// B (k, n) and C (m, n). With beta 0, C is not read. A bias of n elements, if
// given, is added to every row, and beta is 0; only the float32 kernels on the
// CPU and FusedGemm receive one.
struct GemmArgs {
  // A matrix in memory. Element (i, j) is item i * ld + j, or j * ld + i if
  // transposed; C never is.
  struct Matrix {
    char* data;
    int64_t ld;
    bool transposed;
    int64_t batch_strides[kMaxDims];  // bytes; 0 along broadcast axes
  };

  Device device;
  Dtype dtype;
  int64_t m;  // these and the batch are at least 1
  int64_t n;
  int64_t k;
  double alpha;
  double beta;
  const char* bias = nullptr;
  char* a_sums = nullptr;  // for FusedGemm
  Matrix a;
  Matrix b;
  Matrix c;
  int batch_ndim;
  int64_t batch;  // the product of batch_shape
  int64_t batch_shape[kMaxDims];
};

using GemmKernel = void(const GemmArgs& args);
struct Gemm {
  static constexpr std::string_view kName = "matmul";
  static constexpr bool kCompiledOnce = true;
  using Kernel = GemmKernel;
  using Table = DtypeTable<Kernel>;
  template <class Op>
  using Dtypes = AllTypes;
};

// A product that also adds the bias, or writes the sums of A's rows to the m
// elements of a_sums, in the same pass over memory. Kernels may decline: they
// return false, with nothing written that the product alone would not
// overwrite. Only CUDA has some (cublasLt).
struct FusedGemm {
  static constexpr std::string_view kName = "matmul with an epilogue";
  static constexpr bool kCompiledOnce = true;
  using Kernel = bool(const GemmArgs& args);
  using Table = DtypeTable<Kernel>;
};

}  // namespace catena::array
