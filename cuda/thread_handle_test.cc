#include "catena/cuda/thread_handle.h"

#include <gtest/gtest.h>

#include <thread>

namespace catena::cuda {
namespace {

template <int kind>
struct FakeHandle {
  explicit FakeHandle(int device) : device(device) { ++made; }
  int device;
  static inline int made = 0;
};

TEST(ThreadHandleTest, AThreadHasOneHandleForEachDevice) {
  using Handle = FakeHandle<0>;
  Handle& zero = thread_handle<Handle>(0);
  Handle& three = thread_handle<Handle>(3);
  EXPECT_EQ(zero.device, 0);
  EXPECT_EQ(three.device, 3);
  EXPECT_EQ(&thread_handle<Handle>(0), &zero);
  EXPECT_EQ(&thread_handle<Handle>(3), &three);
  EXPECT_EQ(Handle::made, 2);
}

TEST(ThreadHandleTest, ThreadsDoNotShareAHandle) {
  using Handle = FakeHandle<1>;
  const Handle* mine = &thread_handle<Handle>(0);
  const Handle* other = mine;
  std::thread([&other] { other = &thread_handle<Handle>(0); }).join();
  EXPECT_NE(other, mine);
  EXPECT_EQ(Handle::made, 2);
}

TEST(ThreadHandleTest, AThreadsHandleIsPassedOnWhenItEnds) {
  using Handle = FakeHandle<2>;
  for (int i = 0; i < 5; ++i) {
    std::thread([] { thread_handle<Handle>(1); }).join();
  }
  EXPECT_EQ(Handle::made, 1);
}

}  // namespace
}  // namespace catena::cuda
