#include "catena/array/user_kernel/memoize.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace catena::array {
namespace {

TEST(MemoizeTest, ComputesOnceForEachArguments) {
  int calls = 0;
  const auto f = memoize([&](int a, const std::string& b) {
    ++calls;
    return std::to_string(a) + b;
  });
  EXPECT_EQ(f(1, std::string("x")), "1x");
  EXPECT_EQ(f(1, std::string("x")), "1x");
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(f(2, std::string("x")), "2x");
  EXPECT_EQ(f(1, std::string("y")), "1y");
  EXPECT_EQ(calls, 3);
  const auto copy = f;
  EXPECT_EQ(copy(2, std::string("x")), "2x");
  EXPECT_EQ(calls, 3);
}

TEST(MemoizeTest, TellsTypesApart) {
  int calls = 0;
  const auto f = memoize([&](auto x) { return ++calls, sizeof(x); });
  EXPECT_EQ(f(1), sizeof(int));
  EXPECT_EQ(f(1.0), sizeof(double));
  EXPECT_EQ(f(1), sizeof(int));
  EXPECT_EQ(calls, 2);
}

TEST(MemoizeTest, KeepsDevicesApartWhenAsked) {
  int calls = 0;
  const auto shared = memoize([&] { return ++calls; });
  const auto apart =
      memoize([&] { return ++calls; }, {.for_each_device = true});
  const int first = apart();
  const int common = shared();
  const DeviceScope scope(native_device(1));
  EXPECT_NE(apart(), first);
  EXPECT_EQ(apart(), apart());
  EXPECT_EQ(shared(), common);
}

TEST(MemoizeTest, ClearMemoForgetsAllFunctions) {
  int calls = 0;
  const auto f = memoize([&](int) { return ++calls; });
  const auto g = memoize([&](int) { return ++calls; });
  f(0);
  g(0);
  clear_memo();
  f(0);
  g(0);
  EXPECT_EQ(calls, 4);
}

TEST(MemoizeTest, AnEndedFunctionIsNotAskedToForget) {
  {
    memoize([](int x) { return x; })(1);
  }
  EXPECT_NO_THROW(clear_memo());
}

TEST(MemoizeTest, WhatThrowsIsComputedAgain) {
  int calls = 0;
  const auto f = memoize([&](int x) {
    if (++calls == 1) throw std::runtime_error("first");
    return x;
  });
  EXPECT_THROW(f(7), std::runtime_error);
  EXPECT_EQ(f(7), 7);
  EXPECT_EQ(calls, 2);
}

TEST(MemoizeTest, GivesAllThreadsTheSameResult) {
  const auto f = memoize([](int x) { return std::make_shared<int>(x); });
  std::vector<std::shared_ptr<int>> results(8);
  std::vector<std::thread> threads;
  for (auto& result : results) {
    threads.emplace_back([&] { result = f(3); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& result : results) EXPECT_EQ(result, results[0]);
}

}  // namespace
}  // namespace catena::array
