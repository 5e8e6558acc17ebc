#pragma once

#include <cublas_v2.h>

#include <type_traits>

#include "catena/array/core/dtype.h"

namespace catena::kernels::CATENA_BACKEND {

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
cublasComputeType_t compute_type(bool allows_tf32) {
  return std::is_same_v<T, float> && allows_tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                 : BlasType<T>::kCompute;
}

}  // namespace catena::kernels::CATENA_BACKEND
