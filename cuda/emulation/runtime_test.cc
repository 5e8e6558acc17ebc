#include "catena/cuda/emulation/runtime.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <vector>

#include "catena/cuda/emulation/device_code.h"
#include "catena/cuda/emulation/kernel_registry.h"

namespace catena::cuda::emulation {
namespace {

void add_one(int* data, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) data[i] += 1;
}

void half_a_barrier(int /*unused*/) {
  if (threadIdx.x == 0) __syncthreads();
}

class RuntimeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    reset_devices();
    ASSERT_EQ(cudaMalloc(&data_, 400), cudaSuccess);
    ASSERT_EQ(cudaStreamCreateWithFlags(&first_, cudaStreamNonBlocking),
              cudaSuccess);
    ASSERT_EQ(cudaStreamCreateWithFlags(&second_, cudaStreamNonBlocking),
              cudaSuccess);
  }
  void TearDown() override {
    reset_devices();
    EXPECT_EQ(cudaStreamDestroy(first_), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(second_), cudaSuccess);
    EXPECT_EQ(cudaFree(data_), cudaSuccess);
  }

  cudaError_t launch_add(cudaStream_t stream) {
    int* data = data_;
    int n = 100;
    void* params[] = {&data, &n};
    return cudaLaunchKernel(kernel_address(add_one), dim3(2), dim3(64), params,
                            0, stream);
  }
  std::vector<int> values(cudaStream_t stream = nullptr) {
    std::vector<int> result(100);
    EXPECT_EQ(
        cudaMemcpyAsync(result.data(), data_, 400, cudaMemcpyDefault, stream),
        cudaSuccess);
    return result;
  }

  int* data_ = nullptr;
  cudaStream_t first_ = nullptr;
  cudaStream_t second_ = nullptr;
};

TEST_F(RuntimeTest, KernelsComputeOnDeviceMemory) {
  const std::vector<int> start(100, 5);
  EXPECT_EQ(
      cudaMemcpyAsync(data_, start.data(), 400, cudaMemcpyDefault, first_),
      cudaSuccess);
  EXPECT_EQ(launch_add(first_), cudaSuccess);
  EXPECT_EQ(launch_add(first_), cudaSuccess);
  EXPECT_EQ(values(first_), std::vector<int>(100, 7));
}

TEST_F(RuntimeTest, AMultiprocessorRuns2048ThreadsAtOnce) {
  const void* const kernel = kernel_address(add_one);
  int blocks = -1;
  const auto ask = [&](const void* of, int threads) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, of, threads,
                                                         0);
  };
  EXPECT_EQ(ask(kernel, 256), cudaSuccess);
  EXPECT_EQ(blocks, 8);
  EXPECT_EQ(ask(kernel, 32), cudaSuccess);
  EXPECT_EQ(blocks, 32);
  EXPECT_EQ(ask(kernel, 1025), cudaSuccess);
  EXPECT_EQ(blocks, 0);
  EXPECT_EQ(ask(kernel, 0), cudaErrorInvalidValue);
  EXPECT_EQ(ask(data_, 256), cudaErrorInvalidDeviceFunction);
}

TEST_F(RuntimeTest, NothingRunsBeforeTheHostWaits) {
  bool ran = false;
  EXPECT_EQ(submit(first_, [&] { ran = true; }), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(first_), cudaErrorNotReady);
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotReady);
  EXPECT_FALSE(ran);
  EXPECT_EQ(cudaStreamSynchronize(first_), cudaSuccess);
  EXPECT_TRUE(ran);
}

TEST_F(RuntimeTest, OnlyEventsOrderStreams) {
  std::set<std::vector<int>> orders;
  std::set<std::vector<int>> ordered;
  for (int i = 0; i < 50; ++i) {
    std::vector<int> order;
    EXPECT_EQ(submit(first_, [&] { order.push_back(1); }), cudaSuccess);
    EXPECT_EQ(submit(second_, [&] { order.push_back(2); }), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    orders.insert(order);

    order.clear();
    cudaEvent_t event;
    EXPECT_EQ(cudaEventCreateWithFlags(&event, cudaEventDefault), cudaSuccess);
    EXPECT_EQ(submit(first_, [&] { order.push_back(1); }), cudaSuccess);
    EXPECT_EQ(cudaEventRecord(event, first_), cudaSuccess);
    EXPECT_EQ(cudaStreamWaitEvent(second_, event), cudaSuccess);
    EXPECT_EQ(submit(second_, [&] { order.push_back(2); }), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(second_), cudaSuccess);
    EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
    ordered.insert(order);
  }
  EXPECT_EQ(orders, (std::set<std::vector<int>>{{1, 2}, {2, 1}}));
  EXPECT_EQ(ordered, (std::set<std::vector<int>>{{1, 2}}));
}

TEST_F(RuntimeTest, PinnedMemoryIsReadWhenTheCopyRuns) {
  int* pinned = nullptr;
  ASSERT_EQ(cudaHostAlloc(reinterpret_cast<void**>(&pinned), 400, 0),
            cudaSuccess);
  std::vector<int> pageable(100, 1);
  std::fill_n(pinned, 100, 1);
  EXPECT_EQ(
      cudaMemcpyAsync(data_, pageable.data(), 400, cudaMemcpyDefault, first_),
      cudaSuccess);
  pageable.assign(100, 2);
  EXPECT_EQ(values(first_), std::vector<int>(100, 1));
  EXPECT_EQ(cudaMemcpyAsync(data_, pinned, 400, cudaMemcpyDefault, first_),
            cudaSuccess);
  std::fill_n(pinned, 100, 2);  // too early
  EXPECT_EQ(values(first_), std::vector<int>(100, 2));
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

TEST_F(RuntimeTest, GraphsRunWhatWasCapturedEachTime) {
  EXPECT_EQ(cudaMemsetAsync(data_, 0, 400, first_), cudaSuccess);
  EXPECT_EQ(cudaStreamBeginCapture(first_, cudaStreamCaptureModeRelaxed),
            cudaSuccess);
  EXPECT_EQ(launch_add(first_), cudaSuccess);
  EXPECT_EQ(launch_add(first_), cudaSuccess);
  cudaGraph_t graph;
  EXPECT_EQ(cudaStreamEndCapture(first_, &graph), cudaSuccess);
  EXPECT_EQ(values(first_), std::vector<int>(100, 0));
  cudaGraphExec_t executable;
  EXPECT_EQ(cudaGraphInstantiate(&executable, graph), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(cudaGraphLaunch(executable, first_), cudaSuccess);
  }
  EXPECT_EQ(values(first_), std::vector<int>(100, 6));
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
}

TEST_F(RuntimeTest, WaitsBreakACapture) {
  EXPECT_EQ(cudaStreamBeginCapture(first_, cudaStreamCaptureModeRelaxed),
            cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(first_), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(launch_add(first_), cudaErrorStreamCaptureInvalidated);
  cudaGraph_t graph;
  EXPECT_EQ(cudaStreamEndCapture(first_, &graph),
            cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(launch_add(first_), cudaSuccess);
}

TEST_F(RuntimeTest, ForkedStreamsMustJoinTheCapture) {
  cudaEvent_t event;
  EXPECT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming),
            cudaSuccess);
  const auto capture = [&](bool join) {
    EXPECT_EQ(cudaStreamBeginCapture(first_, cudaStreamCaptureModeRelaxed),
              cudaSuccess);
    EXPECT_EQ(launch_add(first_), cudaSuccess);
    EXPECT_EQ(cudaEventRecord(event, first_), cudaSuccess);
    EXPECT_EQ(cudaStreamWaitEvent(second_, event), cudaSuccess);
    EXPECT_EQ(launch_add(second_), cudaSuccess);
    if (join) {
      EXPECT_EQ(cudaEventRecord(event, second_), cudaSuccess);
      EXPECT_EQ(cudaStreamWaitEvent(first_, event), cudaSuccess);
    }
    cudaGraph_t graph;
    const cudaError_t status = cudaStreamEndCapture(first_, &graph);
    if (graph != nullptr) cudaGraphDestroy(graph);
    return status;
  };
  EXPECT_EQ(capture(false), cudaErrorStreamCaptureUnjoined);
  EXPECT_EQ(capture(true), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
}

TEST_F(RuntimeTest, AnEventIsCapturedUntilTheCaptureEnds) {
  cudaEvent_t event;
  EXPECT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming),
            cudaSuccess);
  const auto capture = [&](bool asks) {
    EXPECT_EQ(cudaStreamBeginCapture(first_, cudaStreamCaptureModeRelaxed),
              cudaSuccess);
    EXPECT_EQ(launch_add(first_), cudaSuccess);
    EXPECT_EQ(cudaEventRecord(event, first_), cudaSuccess);
    if (asks) {
      EXPECT_EQ(cudaEventQuery(event), cudaErrorCapturedEvent);
    }
    cudaGraph_t graph;
    const cudaError_t status = cudaStreamEndCapture(first_, &graph);
    if (graph != nullptr) cudaGraphDestroy(graph);
    return status;
  };
  EXPECT_EQ(capture(true), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(capture(false), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(event), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(event), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(second_, event), cudaSuccess);
  cudaStreamCaptureStatus status;
  EXPECT_EQ(cudaStreamIsCapturing(second_, &status), cudaSuccess);
  EXPECT_EQ(status, cudaStreamCaptureStatusNone);
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
}

TEST_F(RuntimeTest, ADestroyedStreamIsRefused) {
  cudaStream_t gone;
  EXPECT_EQ(cudaStreamCreateWithFlags(&gone, cudaStreamNonBlocking),
            cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(gone), cudaSuccess);
  cudaEvent_t event;
  EXPECT_EQ(cudaEventCreateWithFlags(&event, cudaEventDefault), cudaSuccess);
  cudaStreamCaptureStatus status;
  for (const cudaError_t error :
       {launch_add(gone), submit(gone, [] {}),
        cudaMemcpyAsync(data_, data_, 4, cudaMemcpyDefault, gone),
        cudaMemsetAsync(data_, 0, 4, gone), cudaEventRecord(event, gone),
        cudaStreamWaitEvent(gone, event), cudaStreamQuery(gone),
        cudaStreamSynchronize(gone), cudaStreamIsCapturing(gone, &status),
        cudaStreamBeginCapture(gone, cudaStreamCaptureModeRelaxed),
        cudaStreamDestroy(gone)}) {
    EXPECT_EQ(error, cudaErrorInvalidResourceHandle);
  }
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
}

TEST_F(RuntimeTest, AKernelThatFailsIsRemembered) {
  int unused = 0;
  void* params[] = {&unused};
  EXPECT_EQ(cudaLaunchKernel(kernel_address(half_a_barrier), dim3(1), dim3(32),
                             params, 0, first_),
            cudaSuccess);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(cudaStreamSynchronize(first_), cudaErrorLaunchFailure);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              ::testing::AllOf(
                  ::testing::HasSubstr("half_a_barrier"),
                  ::testing::HasSubstr("thread 0 waits at __syncthreads, but "
                                       "thread 1 has ended")));
  EXPECT_EQ(launch_add(first_), cudaErrorLaunchFailure);
  EXPECT_EQ(cudaGetLastError(), cudaErrorLaunchFailure);
  EXPECT_EQ(cudaGetLastError(), cudaErrorLaunchFailure);
}

TEST_F(RuntimeTest, AResetDropsWhatWasNotDone) {
  bool ran = false;
  const auto set = [](void* data) { *static_cast<bool*>(data) = true; };
  EXPECT_EQ(cudaLaunchHostFunc(first_, set, &ran), cudaSuccess);
  reset_devices();
  EXPECT_EQ(cudaStreamSynchronize(first_), cudaSuccess);
  EXPECT_FALSE(ran);
}

TEST_F(RuntimeTest, ManagedMemoryIsForBoth) {
  void* data = nullptr;
  ASSERT_EQ(cudaMallocManaged(&data, 400), cudaSuccess);
  auto* const numbers = static_cast<int*>(data);
  for (int i = 0; i < 100; ++i) numbers[i] = i;
  int n = 100;
  void* params[] = {&data, &n};
  EXPECT_EQ(cudaLaunchKernel(kernel_address(add_one), dim3(2), dim3(64), params,
                             0, first_),
            cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(first_), cudaSuccess);
  EXPECT_EQ(numbers[99], 100);
  cudaPointerAttributes attributes{};
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, data), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeManaged);
  EXPECT_EQ(cudaFree(data), cudaSuccess);
}

TEST_F(RuntimeTest, FailsOnRequest) {
  fail_allocation(1);
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, 8), cudaSuccess);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&memory, 8), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc(&memory, 8), cudaSuccess);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
  fail_launch(0);
  EXPECT_EQ(launch_add(first_), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch_add(first_), cudaSuccess);
}

TEST_F(RuntimeTest, PeersNeedAccess) {
  EXPECT_EQ(cudaSetDevice(1), cudaSuccess);
  int* other = nullptr;
  EXPECT_EQ(cudaMalloc(&other, 400), cudaSuccess);
  EXPECT_EQ(cudaMemsetAsync(data_, 1, 400, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemcpyPeerAsync(other, 1, data_, 0, 400, nullptr), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(cudaFree(other), cudaSuccess);
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
}

using RuntimeDeathTest = RuntimeTest;

// cudaFreeHost does not wait for them.
TEST_F(RuntimeDeathTest, CopiesCannotReadFreedPinnedMemory) {
  void* host = nullptr;
  ASSERT_EQ(cudaHostAlloc(&host, 400, cudaHostAllocDefault), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(data_, host, 400, cudaMemcpyDefault, first_),
            cudaSuccess);
  EXPECT_DEATH(
      {
        cudaFreeHost(host);
        cudaStreamSynchronize(first_);
      },
      "");
  EXPECT_EQ(cudaStreamSynchronize(first_), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(host), cudaSuccess);
}

TEST_F(RuntimeDeathTest, TheHostCannotTouchDeviceMemory) {
  EXPECT_DEATH(*data_ = 1, "memory of cuda:0 at 0x[0-9a-f]+ was touched");
  EXPECT_DEATH(
      {
        int* data = data_;
        submit(first_, [data] { data[100000] = 1; });
        cudaStreamSynchronize(first_);
      },
      "memory of cuda:0");
  EXPECT_DEATH(
      {
        int* data = data_;
        cudaSetDevice(1);
        submit(nullptr, [data] { *data = 1; });
        cudaStreamSynchronize(nullptr);
      },
      "memory of cuda:0");
}

}  // namespace
}  // namespace catena::cuda::emulation
