#include "catena/cuda/cudnn_handle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "catena/cuda/cudnn_library.h"
#include "catena/cuda/device.h"
#include "catena/cuda/error.h"
#include "catena/cuda/stream.h"
#include "catena/cuda/testing/gpu_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::cuda {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class CudnnHandleTest : public GpuTest {};

cudaStream_t stream_of(cudnnHandle_t handle) {
  cudaStream_t stream = nullptr;
  check(call_cudnn<cudnnGetStream>(handle, &stream), "cudnnGetStream");
  return stream;
}

TEST(CudnnVersionTest, IsThatOfItsHeader) {
  EXPECT_EQ(cudnn_version() / 10000, CUDNN_MAJOR);
}

TEST(CudnnErrorTest, HasItsOwnNames) {
  EXPECT_NO_THROW(check(CUDNN_STATUS_SUCCESS, "cudnnCreate"));
  EXPECT_THAT(error_of<CudaError>(
                  [] { check(CUDNN_STATUS_BAD_PARAM, "cudnnSetStream"); }),
              HasSubstr("cudnnSetStream: expected success, got "
                        "CUDNN_STATUS_BAD_PARAM"));
}

TEST_F(CudnnHandleTest, FollowsTheCurrentStream) {
  const DeviceGuard guard(0);
  EXPECT_EQ(stream_of(cudnn_handle(0)), nullptr);
  const Stream stream({.device = 0});
  {
    const StreamScope scope(stream);
    EXPECT_EQ(stream_of(cudnn_handle(0)), stream.ptr());
  }
  EXPECT_EQ(stream_of(cudnn_handle(0)), nullptr);
}

TEST_F(CudnnHandleTest, IsTheSameForAThreadAndAnotherForAnother) {
  const DeviceGuard guard(0);
  const cudnnHandle_t handle = cudnn_handle(0);
  EXPECT_EQ(cudnn_handle(0), handle);
  std::thread([&] {
    const DeviceGuard other_guard(0);
    EXPECT_NE(cudnn_handle(0), handle);
  }).join();
}

}  // namespace
}  // namespace catena::cuda
