#include "catena/cuda/stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/cuda/device.h"
#include "catena/cuda/error.h"
#include "catena/cuda/event.h"
#include "catena/cuda/testing/gpu_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::cuda {
namespace {

using ::catena::testing::error_of;

class StreamTest : public GpuTest {};
class EventTest : public GpuTest {};

TEST(NullStreamTest, IsEveryThreadsCurrentStreamAtFirst) {
  EXPECT_EQ(current_stream(0), nullptr);
  const Stream null = Stream::null(3);
  EXPECT_EQ(null.ptr(), nullptr);
  EXPECT_EQ(null.device(), 3);
}

TEST(EventOptionsTest, InterprocessNeedsDisableTiming) {
  EXPECT_THAT(error_of<ValueError>([] { Event event({.interprocess = true}); }),
              "cuda::Event: interprocess expects "
              "disable_timing == true, got false");
}

TEST_F(StreamTest, ScopeMakesItCurrentInThisThreadAlone) {
  const Stream stream({.device = 0});
  EXPECT_NE(stream.ptr(), nullptr);
  {
    const StreamScope scope(stream);
    EXPECT_EQ(current_stream(0), stream.ptr());
    std::thread([] { EXPECT_EQ(current_stream(0), nullptr); }).join();
    {
      const StreamScope inner(Stream::null(0));
      EXPECT_EQ(current_stream(0), nullptr);
    }
    EXPECT_EQ(current_stream(0), stream.ptr());
  }
  EXPECT_EQ(current_stream(0), nullptr);
}

TEST_F(StreamTest, SynchronizeWaitsForCallbacks) {
  const Stream stream({.device = 0, .non_blocking = true});
  std::atomic<int> calls{0};
  stream.add_callback([&calls] { ++calls; });
  stream.add_callback([&calls] { ++calls; });
  stream.synchronize();
  EXPECT_EQ(calls, 2);
  EXPECT_TRUE(stream.done());
}

TEST_F(StreamTest, IsNotDoneWhileACallbackRuns) {
  const Stream stream({.device = 0, .non_blocking = true});
  std::atomic<bool> go{false};
  stream.add_callback([&go] { go.wait(false); });
  EXPECT_FALSE(stream.done());
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  go = true;
  go.notify_all();
  stream.synchronize();
  EXPECT_TRUE(stream.done());
}

TEST_F(StreamTest, WaitsForAnEventOfAnotherStream) {
  const Stream first({.device = 0, .non_blocking = true});
  const Stream second({.device = 0, .non_blocking = true});
  std::atomic<int> order{0};
  std::atomic<bool> go{false};
  first.add_callback([&] {
    go.wait(false);
    order = 1;
  });
  second.wait_event(first.record());
  second.add_callback([&] { order = order == 1 ? 2 : -1; });
  go = true;
  go.notify_all();
  second.synchronize();
  EXPECT_EQ(order, 2);
}

TEST_F(StreamTest, OrderAfterMakesOneStreamWaitForTheOther) {
  const Stream first({.device = 0, .non_blocking = true});
  const Stream second({.device = 0, .non_blocking = true});
  std::atomic<int> order{0};
  first.add_callback([&] { order = 1; });
  order_after(0, second.ptr(), 0, first.ptr());
  second.add_callback([&] { order = order == 1 ? 2 : -1; });
  second.synchronize();
  EXPECT_EQ(order, 2);
}

TEST_F(StreamTest, MovesAndCountsItsEnd) {
  const uint64_t ended = internal::ended_streams();
  {
    Stream a({.device = 0});
    const cudaStream_t ptr = a.ptr();
    Stream b(std::move(a));
    EXPECT_EQ(b.ptr(), ptr);
    Stream c = Stream::null(0);
    c = std::move(b);
    EXPECT_EQ(c.ptr(), ptr);
  }
  EXPECT_EQ(internal::ended_streams(), ended + 1);
}

TEST_F(StreamTest, RefusesADeviceThatIsNotThere) {
  EXPECT_THROW(Stream({.device = device_count()}), CudaError);
}

TEST_F(EventTest, IsDoneBeforeItIsRecordedAndAfterTheWork) {
  Event event({.device = 0});
  EXPECT_NE(event.ptr(), nullptr);
  EXPECT_TRUE(event.done());
  const Stream stream({.device = 0, .non_blocking = true});
  std::atomic<bool> go{false};
  stream.add_callback([&go] { go.wait(false); });
  stream.record(event);
  EXPECT_FALSE(event.done());
  go = true;
  go.notify_all();
  event.synchronize();
  EXPECT_TRUE(event.done());
}

TEST_F(EventTest, ElapsedTimeIsPositive) {
  const Stream stream({.device = 0});
  const Event start = stream.record();
  stream.add_callback([] {});
  const Event end = stream.record();
  end.synchronize();
  EXPECT_GT(get_elapsed_time(start, end), 0);
}

TEST_F(EventTest, ElapsedTimeRefusesEventsWithoutTiming) {
  const Stream stream({.device = 0});
  Event start({.device = 0, .block = true, .disable_timing = true});
  start.record(stream.ptr());
  const Event end = stream.record();
  end.synchronize();
  EXPECT_THROW(get_elapsed_time(start, end), CudaError);
}

TEST_F(EventTest, RecordsOnTheCurrentStream) {
  const Stream stream({.device = 0, .non_blocking = true});
  const StreamScope scope(stream);
  std::atomic<bool> go{false};
  stream.add_callback([&go] { go.wait(false); });
  Event event({.device = 0});
  event.record();
  EXPECT_FALSE(event.done());
  go = true;
  go.notify_all();
  event.synchronize();
  EXPECT_TRUE(event.done());
}

TEST_F(StreamTest, AnExternalStreamStaysItsOwners) {
  cudaStream_t outside = nullptr;
  check(cudaStreamCreateWithFlags(&outside, cudaStreamNonBlocking),
        "cudaStreamCreateWithFlags");
  std::atomic<bool> ran = false;
  {
    const Stream stream = Stream::external(outside, 0);
    EXPECT_EQ(stream.ptr(), outside);
    const StreamScope scope(stream);
    EXPECT_EQ(current_stream(0), outside);
    stream.add_callback([&] { ran = true; });
  }
  check(cudaStreamSynchronize(outside), "cudaStreamSynchronize");
  EXPECT_TRUE(ran);
  check(cudaStreamDestroy(outside), "cudaStreamDestroy");
}

}  // namespace
}  // namespace catena::cuda
