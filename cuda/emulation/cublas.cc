// cuBLAS on the host, by OpenBLAS.

#include <cblas.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "catena/array/float16.h"
#include "catena/cuda/emulation/library_call.h"
#include "catena/cuda/emulation/runtime.h"
#include "cublas_v2.h"

using catena::bfloat16;
using catena::float16;

struct cublasContext {
  int device;
  cudaStream_t stream = nullptr;
  void* workspace = nullptr;
  size_t workspace_bytes = 0;
  cublasMath_t math = CUBLAS_DEFAULT_MATH;
};

namespace catena::cuda::emulation {
namespace {

struct Matrix {
  char* data;
  int64_t ld;
  int64_t stride;  // from one to the next of the batch, in elements
  bool transposed;
};

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
};

CBLAS_TRANSPOSE order(const Matrix& x) {
  return x.transposed ? CblasTrans : CblasNoTrans;
}

template <class T>
void call_blas(const Gemm& gemm, const T* a, int64_t lda, const T* b,
               int64_t ldb, T* c, int64_t ldc) {
  const auto blas = [] {
    if constexpr (std::is_same_v<T, float>) {
      return cblas_sgemm;
    } else {
      return cblas_dgemm;
    }
  }();
  const auto to_int = [](int64_t x) { return static_cast<blasint>(x); };
  blas(CblasColMajor, order(gemm.a), order(gemm.b), to_int(gemm.m),
       to_int(gemm.n), to_int(gemm.k), static_cast<T>(gemm.alpha), a,
       to_int(lda), b, to_int(ldb), static_cast<T>(gemm.beta), c, to_int(ldc));
}

template <class T>
T* item(const Matrix& x, int64_t i) {
  return reinterpret_cast<T*>(x.data) + i * x.stride;
}

// The elements of matrix i in float32, without gaps.
template <class T>
std::vector<float> widened(const Matrix& x, int64_t i, int64_t rows,
                           int64_t columns) {
  if (x.transposed) std::swap(rows, columns);
  std::vector<float> result;
  result.reserve(static_cast<size_t>(rows * columns));
  for (int64_t column = 0; column < columns; ++column) {
    const T* from = item<T>(x, i) + column * x.ld;
    result.insert(result.end(), from, from + rows);
  }
  return result;
}

// The nearest number with 10 bits of mantissa, ties to even.
float as_tf32(float x) {
  if (!std::isfinite(x)) return x;
  auto bits = std::bit_cast<uint32_t>(x);
  bits += 0xfff + ((bits >> 13) & 1);
  return std::bit_cast<float>(bits & ~uint32_t{0x1fff});
}

// float32 whose factors are rounded.
struct Tf32 {
  operator float() const { return as_tf32(value); }
  Tf32(float x) : value(x) {}
  float value;
};

template <class T>
void multiply(const Gemm& gemm) {
  for (int64_t i = 0; i < gemm.batch; ++i) {
    if constexpr (std::is_floating_point_v<T>) {
      call_blas<T>(gemm, item<T>(gemm.a, i), gemm.a.ld, item<T>(gemm.b, i),
                   gemm.b.ld, item<T>(gemm.c, i), gemm.c.ld);
    } else {
      const auto a = widened<T>(gemm.a, i, gemm.m, gemm.k);
      const auto b = widened<T>(gemm.b, i, gemm.k, gemm.n);
      std::vector<float> c(static_cast<size_t>(gemm.m * gemm.n));
      using Sum = std::conditional_t<std::is_same_v<T, Tf32>, float, T>;
      if (gemm.beta != 0) c = widened<Sum>(gemm.c, i, gemm.m, gemm.n);
      call_blas<float>(gemm, a.data(), gemm.a.transposed ? gemm.k : gemm.m,
                       b.data(), gemm.b.transposed ? gemm.n : gemm.k, c.data(),
                       gemm.m);
      for (int64_t column = 0; column < gemm.n; ++column) {
        const float* from = c.data() + column * gemm.m;
        std::transform(from, from + gemm.m,
                       item<T>(gemm.c, i) + column * gemm.c.ld,
                       [](float x) { return T(x); });
      }
    }
  }
}

using Multiply = void(const Gemm& gemm);

// Null unless the types go together.
Multiply* find_multiply(cudaDataType type, cublasComputeType_t compute_type) {
  if (compute_type == CUBLAS_COMPUTE_64F) {
    return type == CUDA_R_64F ? multiply<double> : nullptr;
  }
  if (compute_type == CUBLAS_COMPUTE_32F_FAST_TF32) {
    return type == CUDA_R_32F ? multiply<Tf32> : nullptr;
  }
  if (compute_type != CUBLAS_COMPUTE_32F) return nullptr;
  switch (type) {
    case CUDA_R_32F:
      return multiply<float>;
    case CUDA_R_16F:
      return multiply<float16>;
    case CUDA_R_16BF:
      return multiply<bfloat16>;
    default:
      return nullptr;
  }
}

bool is_operation(cublasOperation_t operation) {
  return operation == CUBLAS_OP_N || operation == CUBLAS_OP_T ||
         operation == CUBLAS_OP_C;
}

bool has_valid_extents(const Gemm& gemm) {
  const auto is_wide = [](const Matrix& x, int64_t rows, int64_t columns) {
    return x.ld >= std::max<int64_t>(1, x.transposed ? columns : rows);
  };
  return gemm.m >= 0 && gemm.n >= 0 && gemm.k >= 0 && gemm.batch >= 0 &&
         is_wide(gemm.a, gemm.m, gemm.k) && is_wide(gemm.b, gemm.k, gemm.n) &&
         is_wide(gemm.c, gemm.m, gemm.n) &&
         // Products that overwrite each other.
         (gemm.batch <= 1 || gemm.c.stride != 0);
}

bool fits_blas(const Gemm& gemm) {
  return std::max({gemm.m, gemm.n, gemm.k, gemm.a.ld, gemm.b.ld, gemm.c.ld}) <=
         std::numeric_limits<blasint>::max();
}

}  // namespace
}  // namespace catena::cuda::emulation

// ------------------------------------------------------------------------ API

using namespace catena::cuda::emulation;  // NOLINT

const char* cublasGetStatusName(cublasStatus_t status) {
  switch (status) {
#define CATENA_NAME(name) \
  case name:              \
    return #name
    CATENA_NAME(CUBLAS_STATUS_SUCCESS);
    CATENA_NAME(CUBLAS_STATUS_NOT_INITIALIZED);
    CATENA_NAME(CUBLAS_STATUS_ALLOC_FAILED);
    CATENA_NAME(CUBLAS_STATUS_INVALID_VALUE);
    CATENA_NAME(CUBLAS_STATUS_ARCH_MISMATCH);
    CATENA_NAME(CUBLAS_STATUS_MAPPING_ERROR);
    CATENA_NAME(CUBLAS_STATUS_EXECUTION_FAILED);
    CATENA_NAME(CUBLAS_STATUS_INTERNAL_ERROR);
    CATENA_NAME(CUBLAS_STATUS_NOT_SUPPORTED);
    CATENA_NAME(CUBLAS_STATUS_LICENSE_ERROR);
#undef CATENA_NAME
  }
  return "an unknown status of cuBLAS";
}

const char* cublasGetStatusString(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "success";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "the library was not initialized";
    case CUBLAS_STATUS_ALLOC_FAILED:
      return "an allocation failed";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "an argument is invalid";
    case CUBLAS_STATUS_ARCH_MISMATCH:
      return "the device lacks a feature";
    case CUBLAS_STATUS_MAPPING_ERROR:
      return "an access to memory failed";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "a kernel failed";
    case CUBLAS_STATUS_INTERNAL_ERROR:
      return "an internal operation failed";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "the combination of arguments is not supported";
    case CUBLAS_STATUS_LICENSE_ERROR:
      return "a license is missing";
  }
  return "an unknown status of cuBLAS";
}

cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (device_count() == 0) return CUBLAS_STATUS_NOT_INITIALIZED;
  *handle = new cublasContext{.device = current_device_index()};
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  handle->stream = stream;
  handle->workspace = nullptr;
  handle->workspace_bytes = 0;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t* stream) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (stream == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *stream = handle->stream;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void* workspace,
                                  size_t bytes) {
  constexpr uintptr_t kAlignment = 256;
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (reinterpret_cast<uintptr_t>(workspace) % kAlignment != 0 ||
      (bytes > 0 && !are_reachable({workspace}))) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  handle->workspace = workspace;
  handle->workspace_bytes = bytes;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  switch (mode & ~CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION) {
    case CUBLAS_DEFAULT_MATH:
    case CUBLAS_PEDANTIC_MATH:
    case CUBLAS_TF32_TENSOR_OP_MATH:
      handle->math = mode;
      return CUBLAS_STATUS_SUCCESS;
    default:
      return CUBLAS_STATUS_INVALID_VALUE;
  }
}

cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (mode == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *mode = handle->math;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGemmStridedBatchedEx_64(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
    int64_t m, int64_t n, int64_t k, const void* alpha, const void* a,
    cudaDataType a_type, int64_t lda, long long stride_a, const void* b,
    cudaDataType b_type, int64_t ldb, long long stride_b, const void* beta,
    void* c, cudaDataType c_type, int64_t ldc, long long stride_c,
    int64_t batch_count, cublasComputeType_t compute_type,
    cublasGemmAlgo_t algorithm) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!is_operation(transa) || !is_operation(transb) || alpha == nullptr ||
      beta == nullptr) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  Multiply* const run = find_multiply(a_type, compute_type);
  if (run == nullptr || b_type != a_type || c_type != a_type ||
      algorithm != CUBLAS_GEMM_DEFAULT) {
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  const auto scale = [&](const void* x) {
    return compute_type == CUBLAS_COMPUTE_64F
               ? *static_cast<const double*>(x)
               : double{*static_cast<const float*>(x)};
  };
  const auto matrix = [](const void* data, int64_t ld, int64_t stride,
                         cublasOperation_t operation) {
    return Matrix{const_cast<char*>(static_cast<const char*>(data)), ld, stride,
                  operation != CUBLAS_OP_N};
  };
  const Gemm gemm{m,
                  n,
                  k,
                  scale(alpha),
                  scale(beta),
                  matrix(a, lda, stride_a, transa),
                  matrix(b, ldb, stride_b, transb),
                  matrix(c, ldc, stride_c, CUBLAS_OP_N),
                  batch_count};
  if (!has_valid_extents(gemm)) return CUBLAS_STATUS_INVALID_VALUE;
  if (!fits_blas(gemm)) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (m == 0 || n == 0 || batch_count == 0) return CUBLAS_STATUS_SUCCESS;
  if (!are_reachable({c}) || (k > 0 && !are_reachable({a, b}))) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (current_device_index() != handle->device) {
    return CUBLAS_STATUS_EXECUTION_FAILED;
  }
  const cudaError_t status =
      submit(handle->stream, [run, gemm, workspace = handle->workspace,
                              bytes = handle->workspace_bytes] {
        run(gemm);
        scribble(workspace, bytes);
      });
  return succeeded(status) ? CUBLAS_STATUS_SUCCESS
                           : CUBLAS_STATUS_EXECUTION_FAILED;
}
