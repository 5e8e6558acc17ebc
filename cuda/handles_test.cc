#include <gtest/gtest.h>

#include <thread>

#include "catena/cuda/cublas_handle.h"
#include "catena/cuda/cusolver_handle.h"
#include "catena/cuda/device.h"
#include "catena/cuda/error.h"
#include "catena/cuda/stream.h"
#include "catena/cuda/testing/gpu_test.h"

namespace catena::cuda {
namespace {

class HandlesTest : public GpuTest {};

cudaStream_t stream_of(cublasHandle_t handle) {
  cudaStream_t stream = nullptr;
  check(cublasGetStream(handle, &stream), "cublasGetStream");
  return stream;
}

cudaStream_t stream_of(cusolverDnHandle_t handle) {
  cudaStream_t stream = nullptr;
  check(cusolverDnGetStream(handle, &stream), "cusolverDnGetStream");
  return stream;
}

TEST_F(HandlesTest, FollowTheCurrentStream) {
  const DeviceGuard guard(0);
  EXPECT_EQ(stream_of(cublas_handle(0)), nullptr);
  const Stream stream({.device = 0});
  {
    const StreamScope scope(stream);
    EXPECT_EQ(stream_of(cublas_handle(0)), stream.ptr());
    EXPECT_EQ(stream_of(cusolver_handle(0)), stream.ptr());
  }
  EXPECT_EQ(stream_of(cublas_handle(0)), nullptr);
  EXPECT_EQ(stream_of(cusolver_handle(0)), nullptr);
}

TEST_F(HandlesTest, AreTheSameForAThreadAndAnotherForAnother) {
  const DeviceGuard guard(0);
  const cublasHandle_t blas = cublas_handle(0);
  EXPECT_EQ(cublas_handle(0), blas);
  EXPECT_EQ(static_cast<void*>(cublas_lt_handle(0)), static_cast<void*>(blas));
  std::thread([&] {
    const DeviceGuard other_guard(0);
    EXPECT_NE(cublas_handle(0), blas);
  }).join();
}

TEST_F(HandlesTest, ComputeFloat32AsFloat32) {
  const DeviceGuard guard(0);
  cublasMath_t mode{};
  check(cublasGetMathMode(cublas_handle(0), &mode), "cublasGetMathMode");
  EXPECT_EQ(mode & CUBLAS_TF32_TENSOR_OP_MATH, 0);
  EXPECT_NE(mode & CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION, 0);
}

}  // namespace
}  // namespace catena::cuda
