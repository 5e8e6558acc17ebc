#include "catena/cuda/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "catena/array/core/backend.h"
#include "catena/array/core/borrowed_storage.h"
#include "catena/array/core/capture.h"
#include "catena/array/core/error.h"
#include "catena/array/core/host_transfer.h"
#include "catena/array/core/storage.h"
#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/cuda/device.h"
#include "catena/cuda/device_memory.h"
#include "catena/cuda/error.h"
#include "catena/cuda/event.h"
#include "catena/cuda/pinned_memory.h"
#include "catena/cuda/testing/gpu_test.h"
#include "catena/dataset/pinned_arrays.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"

namespace catena::cuda {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::IsArray;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class GraphTest : public GpuTest {};

TEST_F(GraphTest, LaunchComputesAnewFromTheSameMemory) {
  const DeviceScope scope(cuda_device());
  const Array x = array::arange(1000, Dtype::kFloat32);
  Array y;
  const Graph graph([&] { y = (x + 1) * (x * 2); });
  for (int round = 0; round < 3; ++round) {
    x.fill(round);
    graph.launch();
    EXPECT_THAT(y, IsArray(array::full({1000}, (round + 1) * 2.0f * round,
                                       Dtype::kFloat32)));
    // Memory of other work does not meet the graph's.
    const Array other = array::full({1000}, -1.0f);
    graph.launch();
    EXPECT_THAT(other, IsArray(array::full({1000}, -1.0f)));
  }
}

TEST_F(GraphTest, GivesItsMemoryBackAtItsEnd) {
  const DeviceScope scope(cuda_device());
  const Array x = array::zeros({1000}, Dtype::kFloat32);
  const int64_t before = memory_pool(0).statistics().used_bytes;
  {
    const Graph graph([&] { static_cast<void>((x + 1) * 2); });
    EXPECT_GT(memory_pool(0).statistics().used_bytes, before);
  }
  EXPECT_EQ(memory_pool(0).statistics().used_bytes, before);
}

// A chain of operations needs the memory of two or three arrays.
TEST_F(GraphTest, TemporariesShareMemory) {
  const DeviceScope scope(cuda_device());
  constexpr int64_t kBytes = 8 << 20;
  const Array x = array::ones({kBytes / 4}, Dtype::kFloat32);
  const int64_t before = memory_pool(0).statistics().used_bytes;
  Array y;
  const Graph graph([&] {
    y = x;
    for (int i = 0; i < 20; ++i) y = array::exp2(y) - 1;
  });
  EXPECT_LE(memory_pool(0).statistics().used_bytes, before + 4 * kBytes);
  // Nobody else gets it.
  const Array other = array::full({kBytes / 4}, -1.0f);
  graph.launch();
  EXPECT_THAT(y, IsArray(x));
  EXPECT_THAT(other, IsArray(array::full({kBytes / 4}, -1.0f)));
}

// Each of them needs the memory of two or three arrays, and so do all.
TEST_F(GraphTest, GraphsShareMemoryWithOthersThatAreAskedTo) {
  const DeviceScope scope(cuda_device());
  constexpr int64_t kSize = 2 << 20;
  constexpr int64_t kSegment = 2 << 20;
  const Array x = array::ones({kSize}, Dtype::kFloat32);
  const int64_t before = memory_pool(0).statistics().used_bytes;
  {
    std::vector<Graph> graphs;
    std::vector<Array> results(4);
    int64_t first = 0;
    for (size_t i = 0; i < results.size(); ++i) {
      graphs.emplace_back(
          [&] {
            Array y = x[{Slice(0, kSize >> i)}];
            for (int n = 0; n < 9; ++n) y = array::exp2(y) - 1;
            results[i] = array::sum(y + static_cast<double>(i));
          },
          0, i > 0 ? &graphs[0] : nullptr);
      const int64_t used = memory_pool(0).statistics().used_bytes - before;
      if (i == 0) first = used;
      EXPECT_LE(used, first + kSegment) << i;  // for small arrays
    }
    // In any order, and on any streams.
    const Stream stream({.device = 0, .non_blocking = true});
    const Stream null = Stream::null(0);
    for (const size_t i : {3, 0, 2, 1, 0, 3}) {
      const StreamScope own(i % 2 == 0 ? stream : null);
      graphs[i].launch();
      EXPECT_EQ(
          results[i].item<float>(),
          static_cast<float>((kSize >> i) * (1 + static_cast<int64_t>(i))));
    }
    graphs.erase(graphs.begin());
    graphs[0].launch();
    EXPECT_EQ(results[1].item<float>(), static_cast<float>(kSize));
    EXPECT_GT(memory_pool(0).statistics().used_bytes, before);
  }
  EXPECT_EQ(memory_pool(0).statistics().used_bytes, before);
}

// Its memory would otherwise be ordered after the capture, and then go to
// others while the graph still reads it.
TEST_F(GraphTest, WhatTheWorkFreesStaysThereForTheGraph) {
  const DeviceScope scope(cuda_device());
  Array x = array::full({1000}, 3.0f);
  Array y;
  const Graph graph([&] {
    y = x * 2;
    x = Array();
  });
  const Array other = array::full({1000}, -1.0f);
  graph.launch();
  EXPECT_THAT(y, IsArray(array::full({1000}, 6.0f)));
  EXPECT_THAT(other, IsArray(array::full({1000}, -1.0f)));
}

TEST_F(GraphTest, ArraysCopiedToTheDeviceKeepTheirValues) {
  const DeviceScope scope(cuda_device());
  const Array x = array::ones({1000}, Dtype::kFloat32);
  for (const int64_t size : {1000, 500000}) {  // small, and above 1 MiB
    Array y;
    const Graph graph([&] {
      y = array::full({size}, 5.0f, Dtype::kFloat32, native_device())
              .to_device(cuda_device());
    });
    for (int round = 0; round < 3; ++round) {
      // Copies that would take the same page-locked memory.
      const Array other =
          array::full({size}, -1.0f, Dtype::kFloat32, native_device())
              .to_device(cuda_device());
      graph.launch();
      EXPECT_THAT(y, IsArray(array::full({size}, 5.0f, Dtype::kFloat32)));
    }
  }
}

// An event of a capture says nothing about when the memory is read: it is the
// graph's.
TEST_F(GraphTest, PinnedMemoryFreedInACaptureIsNotReused) {
  constexpr int64_t kSize = 5 << 20;  // no other test frees such a block
  const Memory target(kSize, 0);
  const void* freed = nullptr;
  {
    const Graph graph(
        [&] {
          PinnedMemory memory(kSize);
          freed = memory.ptr();
          copy_async(target.ptr(), memory.ptr(), kSize, 0, current_stream(0));
          Event copied({.device = 0, .disable_timing = true});
          copied.record();
          memory.free_after(std::move(copied));
        },
        0);
    EXPECT_NE(PinnedMemory(kSize).ptr(), freed);
    graph.launch();
    EXPECT_NE(PinnedMemory(kSize).ptr(), freed);
  }
  EXPECT_EQ(PinnedMemory(kSize).ptr(), freed);
}

TEST_F(GraphTest, AnEventOfTheCaptureHasNoEnd) {
  const DeviceScope scope(cuda_device());
  const Array x = array::ones({3});
  Array y;
  Event event({.disable_timing = true});
  Event before({.disable_timing = true});
  before.record();
  const Graph graph([&] {
    y = x + 1;
    event.record();
    const auto refused = ThrowsMessage<DeviceError>(
        HasSubstr("expected an event that was recorded outside of the capture "
                  "of cuda:0"));
    EXPECT_THAT([&] { event.done(); }, refused);
    EXPECT_THAT([&] { event.synchronize(); }, refused);
    before.done();
    y += 1;
  });
  graph.launch();
  EXPECT_THAT(y, IsArray(array::full({3}, 3.0)));
  event.record();
  event.synchronize();
  EXPECT_TRUE(event.done());
}

// The work goes on, and its capture is valid.
TEST_F(GraphTest, RefusesCopiesThatWaitForOtherWork) {
  const DeviceScope scope(cuda_device());
  const auto transfer =
      backend_table(Backend::kCuda)->open_transfer(cuda_device());
  const Array host =
      dataset::empty_pinned({3}, Dtype::kFloat64, Backend::kCuda);
  host.fill(1);
  const Array x = array::ones({3});
  Array y;
  const Graph graph([&] {
    y = x + 1;
    EXPECT_THAT(
        error_of<DeviceError>([&] { dataset::to_device(*transfer, host); }),
        HasSubstr("HostTransfer::to_device: expected a copy "
                  "outside of captures"));
    if (device_count() > 1) {
      EXPECT_THAT(error_of<DeviceError>([&] { y.to_device(cuda_device(1)); }),
                  HasSubstr("copy from cuda:0 to cuda:1: expected no "
                            "capture of either, got one of cuda:0"));
    }
    y += 1;
  });
  graph.launch();
  EXPECT_THAT(y, IsArray(array::full({3}, 3.0)));
  EXPECT_THAT(dataset::to_device(*transfer, host), IsArray(x));
}

TEST_F(GraphTest, RandomNumbersAreThoseOfCallsWithoutCapture) {
  const DeviceScope scope(cuda_device());
  const auto draw = [] {
    return std::vector<Array>{
        array::random::normal(0, 1, {1001}, Dtype::kFloat32),
        array::random::bernoulli(0.3, {77}, Dtype::kFloat16),
        array::random::randint(0, 10, {3, 5})};
  };
  array::random::Generator& generator = array::random::generator();
  std::vector<Array> captured;
  const Graph graph([&] { captured = draw(); });
  for (const uint64_t seed : {3, 4}) {
    generator.seed(seed);
    std::vector<std::vector<Array>> eager;
    for (int round = 0; round < 3; ++round) eager.push_back(draw());
    const auto end = generator.state();
    generator.seed(seed);
    for (int round = 0; round < 3; ++round) {
      graph.launch();
      for (size_t i = 0; i < captured.size(); ++i) {
        EXPECT_THAT(captured[i], IsArray(eager[static_cast<size_t>(round)][i]));
      }
    }
    EXPECT_EQ(generator.state(), end);
  }
  EXPECT_THROW(Graph([] { array::random::permutation(5); }),
               NotImplementedError);
}

TEST_F(GraphTest, ValuesAreFilledInOrderBeforeEveryLaunch) {
  const DeviceScope scope(cuda_device());
  const Array sums = array::zeros({3}, Dtype::kFloat64);
  int calls = 0;
  const Graph graph([&] {
    Capture& capture = *current_capture(cuda_device());
    EXPECT_EQ(current_capture(cuda_device(1)), nullptr);
    capture.on_launch([&] { ++calls; });
    for (int64_t i = 0; i < 3; ++i) {
      void* number = capture.value(sizeof(double), [&calls, i](void* value) {
        *static_cast<double*>(value) = calls + 10.0 * static_cast<double>(i);
      });
      sums[i] += Array(BorrowedStorage::make(cuda_device(), number, 8),
                       Dtype::kFloat64, {});
    }
    capture.on_launch([&] { ++calls; });
    // A block of its own.
    capture.value(1 << 20, [&](void* value) {
      std::memset(value, 0, 1 << 20);
      ++calls;
    });
  });
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(current_capture(cuda_device()), nullptr);
  graph.launch();
  EXPECT_THAT(sums, IsArray(array::array({1.0, 11.0, 21.0})));
  graph.launch();  // both before the device runs either
  graph.launch();
  EXPECT_EQ(calls, 9);
  EXPECT_THAT(sums, IsArray(array::array({12.0, 42.0, 72.0})));
}

TEST_F(GraphTest, AFailedLaunchTakesBackWhatItHasDone) {
  const DeviceScope scope(cuda_device());
  array::random::Generator generator(1, cuda_device());
  std::string log;
  bool fails = false;
  Array drawn;
  const Graph graph([&] {
    Capture& capture = *current_capture(cuda_device());
    capture.on_launch([&] { log += "a"; });
    capture.on_failed_launch([&] { log += "A"; });
    drawn = generator.uniform(0, 1, {3});
    capture.on_launch([&] { log += "b"; });
    capture.on_failed_launch([&] { log += "B"; });
    capture.on_launch([&] {
      if (fails) throw ValueError("no luck");
    });
    capture.on_failed_launch([&] { log += "C"; });
  });
  graph.launch();
  EXPECT_EQ(log, "ab");
  const array::random::GeneratorState state = generator.state();
  fails = true;
  EXPECT_EQ(error_of<ValueError>([&] { graph.launch(); }), "no luck");
  EXPECT_EQ(log, "ababBA");
  EXPECT_EQ(generator.state(), state);
  fails = false;
  graph.launch();
  EXPECT_EQ(log, "ababBAab");
  EXPECT_NE(generator.state(), state);
}

// A value is written before the launch, so it cannot share memory with what the
// graph computes before the value is used.
TEST_F(GraphTest, ValuesShareNoMemoryWithTemporaries) {
  const DeviceScope scope(cuda_device());
  const Array sum = array::zeros({}, Dtype::kFloat64);
  const Graph graph([&] {
    for (int i = 0; i < 5; ++i) {
      static_cast<void>(array::zeros({8000}, Dtype::kFloat64) + 7);
    }
    void* number = current_capture()->value(
        sizeof(double), [](void* value) { *static_cast<double*>(value) = 2; });
    sum += Array(BorrowedStorage::make(cuda_device(), number, 8),
                 Dtype::kFloat64, {});
  });
  graph.launch();
  graph.launch();
  EXPECT_EQ(sum.item<double>(), 4);
}

TEST_F(GraphTest, KeepsObjectsUntilItsEnd) {
  const auto object = std::make_shared<int>(1);
  {
    const Graph graph([&] { current_capture(cuda_device())->keep(object); }, 0);
    EXPECT_EQ(object.use_count(), 2);
  }
  EXPECT_EQ(object.use_count(), 1);
}

TEST_F(GraphTest, AFailureLeavesTheDeviceUsable) {
  const DeviceScope scope(cuda_device());
  const Array x = array::zeros({3});
  const int64_t before = memory_pool(0).statistics().used_bytes;
  EXPECT_THROW(Graph([] { throw ValueError("mine"); }), ValueError);
  EXPECT_THAT(
      error_of<DeviceError>([&] {
        Graph([&] { static_cast<void>(array::sum(x).item<double>()); });
      }),
      HasSubstr("read results (item(), printing, copies to the host) after "
                "the launch"));
  EXPECT_THAT(error_of<DeviceError>([&] { Graph([&] { synchronize(0); }); }),
              HasSubstr("synchronize: expected no capture of cuda:0"));
  // What catena does not see.
  EXPECT_THAT(error_of<CudaError>(
                  [&] { Graph([&] { ignore(cudaDeviceSynchronize()); }); }),
              HasSubstr("CaptureInvalidated"));
  EXPECT_THAT(
      error_of<DeviceError>([&] { Graph([&] { Graph inner([] {}); }); }),
      HasSubstr("expected no capture inside another"));
  const Graph graph([] {});
  EXPECT_THAT(error_of<DeviceError>([&] { Graph([&] { graph.launch(); }); }),
              HasSubstr("expected a launch outside of captures"));
  EXPECT_EQ(current_capture(cuda_device()), nullptr);
  EXPECT_EQ(memory_pool(0).statistics().used_bytes, before);
  EXPECT_THAT(x + 1, IsArray(array::ones({3})));
}

// Another thread works while this one captures.
TEST_F(GraphTest, OtherThreadsAreNotCaptured) {
  const DeviceScope scope(cuda_device());
  Array y;
  const Graph graph([&] {
    std::thread([&] {
      const DeviceScope other(cuda_device());
      EXPECT_EQ(current_capture(cuda_device()), nullptr);
      y = array::ones({3}) + 1;
    }).join();
  });
  EXPECT_THAT(y, IsArray(array::full({3}, 2.0)));
}

}  // namespace
}  // namespace catena::cuda
