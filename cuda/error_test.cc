#include "catena/cuda/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/cuda/cublas_handle.h"
#include "catena/cuda/testing/gpu_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::cuda {
namespace {

using ::catena::testing::error_of;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(CudaErrorTest, SuccessThrowsNothing) {
  EXPECT_NO_THROW(check(cudaSuccess, "cudaMalloc"));
  EXPECT_NO_THROW(check(CUBLAS_STATUS_SUCCESS, "cublasCreate"));
}

TEST(CudaErrorTest, NamesTheCallTheErrorAndThePlace) {
  try {
    check(cudaErrorInvalidValue, "cudaMalloc");
    FAIL() << "nothing was thrown";
  } catch (const CudaError& error) {
    EXPECT_EQ(error.name(), "cudaErrorInvalidValue");
    EXPECT_EQ(error.call(), "cudaMalloc");
    EXPECT_THAT(error.what(),
                AllOf(StartsWith("cudaMalloc: expected success, got "
                                 "cudaErrorInvalidValue (invalid argument) ["),
                      HasSubstr("error_test.cc:"), EndsWith("]")));
  }
}

TEST(CudaErrorTest, IsADeviceError) {
  EXPECT_THROW(check(cudaErrorInvalidValue, "cudaMalloc"), DeviceError);
}

TEST(CudaErrorTest, CublasHasItsOwnNames) {
  EXPECT_THAT(error_of<CudaError>(
                  [] { check(CUBLAS_STATUS_NOT_INITIALIZED, "cublasGemmEx"); }),
              HasSubstr("cublasGemmEx: expected success, got "
                        "CUBLAS_STATUS_NOT_INITIALIZED"));
}

class FailedCallTest : public GpuTest {};

TEST_F(FailedCallTest, LeavesNoEchoWhenItWasHandled) {
  void* data = nullptr;
  EXPECT_THROW(check(cudaMalloc(&data, size_t{1} << 60), "cudaMalloc"),
               CudaError);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

TEST_F(FailedCallTest, LeavesNoEchoWhenItWasIgnored) {
  void* data = nullptr;
  ignore(cudaMalloc(&data, size_t{1} << 60));
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

}  // namespace
}  // namespace catena::cuda
