// The slot of matrix products on CUDA: floats by cuBLAS.

#include <cublas_v2.h>

#include <cstdint>

#include "catena/array/float32_precision.h"
#include "catena/array/kernel_definition.h"
#include "catena/array/linalg/blas_type_cuda.h"
#include "catena/array/linalg/gemm.h"
#include "catena/array/linalg/gemm_batch.h"
#include "catena/array/linalg/gemm_integers_cuda.h"
#include "catena/cuda/cublas_handle.h"
#include "catena/cuda/device.h"

namespace catena::kernels::CATENA_BACKEND {
namespace {

using namespace catena::cuda;  // NOLINT(google-build-using-namespace)

cublasOperation_t operation(const GemmArgs::Matrix& x) {
  return x.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
}

// cuBLAS is column-major and sees our matrices transposed, so it computes C' =
// B' A'.
template <class T>
void multiply(const GemmArgs& args) {
  using Type = BlasType<T>;
  using Scale = typename Type::Scale;
  const int device = args.device.index();
  const DeviceGuard guard(device);
  const cublasHandle_t handle = cublas_handle(device);
  const cublasComputeType_t compute = compute_type<T>(
      array::get_float32_precision() == array::Float32Precision::kTf32);
  const auto alpha = static_cast<Scale>(args.alpha);
  const auto beta = static_cast<Scale>(args.beta);
  visit_gemm_batches(args, [&](const GemmBatch& batch) {
    check(cublasGemmStridedBatchedEx_64(
              handle, operation(args.b), operation(args.a), args.n, args.m,
              args.k, &alpha, batch.b, Type::kStored, args.b.ld, batch.b_stride,
              batch.a, Type::kStored, args.a.ld, batch.a_stride, &beta, batch.c,
              Type::kStored, args.c.ld, batch.c_stride, batch.count, compute,
              CUBLAS_GEMM_DEFAULT),
          "cublasGemmStridedBatchedEx_64");
  });
}

}  // namespace

template <class T>
struct Loop<Gemm, Gemm, T> {
  static constexpr GemmKernel* run = multiply_integers<T>;
};
template <class T>
requires requires { typename BlasType<T>::Scale; }
struct Loop<Gemm, Gemm, T> {
  static constexpr GemmKernel* run = multiply<T>;
};

extern const auto kGemmKernels = register_kernels<Gemm>();

}  // namespace catena::kernels::CATENA_BACKEND
