// cuBLAS on the host, by OpenBLAS.

#include <cstdint>

#include "catena/cuda/emulation/cublas_context.h"
#include "catena/cuda/emulation/cublas_product.h"
#include "catena/cuda/emulation/faults.h"
#include "catena/cuda/emulation/library_call.h"
#include "catena/cuda/emulation/runtime.h"
#include "cublas_v2.h"

namespace catena::cuda::emulation {
namespace {

// The arguments that both kinds of products have.
struct Product {
  cublasOperation_t transa;
  cublasOperation_t transb;
  int64_t m;
  int64_t n;
  int64_t k;
  const void* alpha;
  const void* beta;
  cudaDataType a_type;
  cudaDataType b_type;
  cudaDataType c_type;
  cublasComputeType_t compute_type;
  int64_t lda;
  int64_t ldb;
  int64_t ldc;
  int64_t stride_a;
  int64_t stride_b;
  int64_t stride_c;
  int64_t batch_count;
  cublasGemmAlgo_t algorithm;
};

char* bytes_of(const void* data) {
  return const_cast<char*>(static_cast<const char*>(data));
}

// Checks the call and submits work(multiply, gemm), which sets the addresses of
// gemm's matrices from a, b and c, the memory that the call names.
template <class Work>
cublasStatus_t multiply_all(cublasHandle_t handle, const Product& p,
                            const void* a, const void* b, const void* c,
                            const Work& work) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!is_operation(p.transa) || !is_operation(p.transb) ||
      p.alpha == nullptr || p.beta == nullptr) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  Multiply* const run = find_multiply(p.a_type, p.compute_type);
  if (run == nullptr || p.b_type != p.a_type || p.c_type != p.a_type ||
      p.algorithm != CUBLAS_GEMM_DEFAULT) {
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  const auto scale = [&](const void* x) {
    return p.compute_type == CUBLAS_COMPUTE_64F
               ? *static_cast<const double*>(x)
               : double{*static_cast<const float*>(x)};
  };
  const auto matrix = [](int64_t ld, int64_t stride,
                         cublasOperation_t operation) {
    return Matrix{nullptr, ld, stride, operation != CUBLAS_OP_N};
  };
  const Gemm gemm{p.m,
                  p.n,
                  p.k,
                  scale(p.alpha),
                  scale(p.beta),
                  matrix(p.lda, p.stride_a, p.transa),
                  matrix(p.ldb, p.stride_b, p.transb),
                  matrix(p.ldc, p.stride_c, CUBLAS_OP_N),
                  p.batch_count};
  if (!has_valid_extents(gemm)) return CUBLAS_STATUS_INVALID_VALUE;
  if (!fits_blas(gemm)) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (p.m == 0 || p.n == 0 || p.batch_count == 0) return CUBLAS_STATUS_SUCCESS;
  if (!are_reachable({c}) || (p.k > 0 && !are_reachable({a, b}))) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (current_device_index() != handle->device) {
    return CUBLAS_STATUS_EXECUTION_FAILED;
  }
  const cudaError_t status =
      submit(handle->stream, [run, gemm, work, workspace = handle->workspace,
                              bytes = handle->workspace_bytes] {
        work(run, gemm);
        scribble(workspace, bytes);
      });
  return succeeded(status) ? CUBLAS_STATUS_SUCCESS
                           : CUBLAS_STATUS_EXECUTION_FAILED;
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
  if (is_to_fail()) return CUBLAS_STATUS_ALLOC_FAILED;
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (device_count() == 0) return CUBLAS_STATUS_NOT_INITIALIZED;
  *handle = new cublasContext{.device = current_device_index()};
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  delete handle;
  return reported(CUBLAS_STATUS_SUCCESS, CUBLAS_STATUS_INTERNAL_ERROR);
}

cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
  if (is_to_fail()) return CUBLAS_STATUS_INVALID_VALUE;
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
  if (is_to_fail()) return CUBLAS_STATUS_INVALID_VALUE;
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
  if (is_to_fail()) return CUBLAS_STATUS_INVALID_VALUE;
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
  if (is_to_fail()) return CUBLAS_STATUS_EXECUTION_FAILED;
  const Product product{.transa = transa,
                        .transb = transb,
                        .m = m,
                        .n = n,
                        .k = k,
                        .alpha = alpha,
                        .beta = beta,
                        .a_type = a_type,
                        .b_type = b_type,
                        .c_type = c_type,
                        .compute_type = compute_type,
                        .lda = lda,
                        .ldb = ldb,
                        .ldc = ldc,
                        .stride_a = stride_a,
                        .stride_b = stride_b,
                        .stride_c = stride_c,
                        .batch_count = batch_count,
                        .algorithm = algorithm};
  return multiply_all(handle, product, a, b, c, [=](Multiply* run, Gemm gemm) {
    gemm.a.data = bytes_of(a);
    gemm.b.data = bytes_of(b);
    gemm.c.data = bytes_of(c);
    run(gemm);
  });
}

cublasStatus_t cublasGemmBatchedEx_64(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
    int64_t m, int64_t n, int64_t k, const void* alpha, const void* const* a,
    cudaDataType a_type, int64_t lda, const void* const* b, cudaDataType b_type,
    int64_t ldb, const void* beta, void* const* c, cudaDataType c_type,
    int64_t ldc, int64_t batch_count, cublasComputeType_t compute_type,
    cublasGemmAlgo_t algorithm) {
  if (is_to_fail()) return CUBLAS_STATUS_EXECUTION_FAILED;
  const Product product{.transa = transa,
                        .transb = transb,
                        .m = m,
                        .n = n,
                        .k = k,
                        .alpha = alpha,
                        .beta = beta,
                        .a_type = a_type,
                        .b_type = b_type,
                        .c_type = c_type,
                        .compute_type = compute_type,
                        .lda = lda,
                        .ldb = ldb,
                        .ldc = ldc,
                        .stride_a = 0,
                        .stride_b = 0,
                        .stride_c = 1,
                        .batch_count = batch_count,
                        .algorithm = algorithm};
  const bool uses_tensor_cores = a_type == CUDA_R_16F ||
                                 a_type == CUDA_R_16BF ||
                                 compute_type == CUBLAS_COMPUTE_32F_FAST_TF32;
  return multiply_all(handle, product, a, b, c, [=](Multiply* run, Gemm gemm) {
    gemm.batch = 1;
    for (int64_t i = 0; i < batch_count; ++i) {
      gemm.a.data = bytes_of(a[i]);
      gemm.b.data = bytes_of(b[i]);
      gemm.c.data = bytes_of(c[i]);
      for (const Matrix* x : {&gemm.a, &gemm.b, &gemm.c}) {
        if (uses_tensor_cores &&
            reinterpret_cast<uintptr_t>(x->data) % 16 != 0) {
          return fail_device(cudaErrorLaunchFailure);
        }
      }
      run(gemm);
    }
  });
}
