#include "catena/cuda/emulation/faults.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "catena/cuda/emulation/library_test.h"
#include "cuda_runtime.h"

namespace catena::cuda::emulation {
namespace {

const char* name_of_failing = "";

bool has_the_name(const char* function) {
  return std::strcmp(function, name_of_failing) == 0;
}

// The calls of a function fail while it exists.
class Failing {
 public:
  explicit Failing(const char* function) {
    name_of_failing = function;
    fail_calls(has_the_name);
  }
  ~Failing() { fail_calls(nullptr); }
};

class FaultsTest : public LibraryTest {
 protected:
  static size_t free_memory() {
    size_t free = 0;
    size_t total = 0;
    EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
    return free;
  }
};

TEST_F(FaultsTest, ACallThatFailsDoesNothing) {
  const size_t free = free_memory();
  void* data = nullptr;
  {
    const Failing failing("cudaMalloc");
    EXPECT_EQ(cudaMalloc(&data, 8), cudaErrorMemoryAllocation);
    EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  }
  EXPECT_EQ(free_memory(), free);
  const DeviceArray<int> numbers({1, 2});
  {
    const Failing failing("cudaMemsetAsync");
    EXPECT_EQ(cudaMemsetAsync(numbers.data(), 0, 8, stream_),
              cudaErrorInvalidValue);
  }
  EXPECT_EQ(numbers.read(stream_), std::vector({1, 2}));
}

TEST_F(FaultsTest, AFailureIsNoneOfTheDevice) {
  static_cast<void>(cudaGetLastError());
  {
    const Failing failing("cudaStreamQuery");
    EXPECT_EQ(cudaStreamQuery(stream_), cudaErrorInvalidResourceHandle);
  }
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamQuery(stream_), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(FaultsTest, WhatFreesOrWaitsDoesItsWork) {
  const size_t free = free_memory();
  void* data = nullptr;
  ASSERT_EQ(cudaMalloc(&data, 8), cudaSuccess);
  {
    const Failing failing("cudaFree");
    EXPECT_EQ(cudaFree(data), cudaErrorInvalidValue);
  }
  EXPECT_EQ(free_memory(), free);

  bool ran = false;
  const auto set = [](void* flag) { *static_cast<bool*>(flag) = true; };
  ASSERT_EQ(cudaLaunchHostFunc(stream_, set, &ran), cudaSuccess);
  {
    const Failing failing("cudaStreamSynchronize");
    EXPECT_EQ(cudaStreamSynchronize(stream_), cudaErrorLaunchFailure);
  }
  EXPECT_TRUE(ran);

  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal),
            cudaSuccess);
  {
    const Failing failing("cudaStreamEndCapture");
    EXPECT_EQ(cudaStreamEndCapture(stream_, &graph),
              cudaErrorStreamCaptureInvalidated);
  }
  EXPECT_EQ(graph, nullptr);
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
  EXPECT_EQ(cudaStreamIsCapturing(stream_, &status), cudaSuccess);
  EXPECT_EQ(status, cudaStreamCaptureStatusNone);
}

}  // namespace
}  // namespace catena::cuda::emulation
