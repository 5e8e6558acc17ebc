// The slot of matrix products on CUDA: floats by cuBLAS.

#include <cublas_v2.h>

#include <cstdint>
#include <type_traits>

#include "catena/array/dtype.h"
#include "catena/array/float32_precision.h"
#include "catena/array/kernel_definition.h"
#include "catena/array/linalg/gemm.h"
#include "catena/array/linalg/gemm_batch.h"
#include "catena/array/linalg/gemm_integers_cuda.h"
#include "catena/cuda/cublas_handle.h"
#include "catena/cuda/device.h"

namespace catena::kernels::CATENA_BACKEND {
namespace {

using namespace catena::cuda;  // NOLINT(google-build-using-namespace)

// cuBLAS's types of the floats; the 16-bit ones are accumulated and scaled in
// float32.
template <class T>
struct BlasType;
template <>
struct BlasType<float> {
  static constexpr cudaDataType_t kStored = CUDA_R_32F;
  static constexpr cublasComputeType_t kCompute = CUBLAS_COMPUTE_32F;
  using Scale = float;
};
template <>
struct BlasType<float16> : BlasType<float> {
  static constexpr cudaDataType_t kStored = CUDA_R_16F;
};
template <>
struct BlasType<bfloat16> : BlasType<float> {
  static constexpr cudaDataType_t kStored = CUDA_R_16BF;
};
template <>
struct BlasType<double> {
  static constexpr cudaDataType_t kStored = CUDA_R_64F;
  static constexpr cublasComputeType_t kCompute = CUBLAS_COMPUTE_64F;
  using Scale = double;
};

// float32 may be rounded to TF32; 16-bit floats are not affected.
template <class T>
cublasComputeType_t compute_type() {
  if constexpr (std::is_same_v<T, float>) {
    if (array::get_float32_precision() == array::Float32Precision::kTf32) {
      return CUBLAS_COMPUTE_32F_FAST_TF32;
    }
  }
  return BlasType<T>::kCompute;
}

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
  const cublasComputeType_t compute = compute_type<T>();
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
