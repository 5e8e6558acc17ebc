// Parallel loops in processes that have fewer threads than they ask for.

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <thread>
#include <vector>

#include "catena/array/core/parallel.h"

namespace {

// How many more threads the process may start.
std::atomic<int> threads_left = 1000;

}  // namespace

// Instead of the system's, also for the OpenMP runtime.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* options,
                              void* (*function)(void*), void* argument) {
  if (threads_left-- <= 0) return EAGAIN;
  using Create =
      int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static auto* const create =
      reinterpret_cast<Create*>(dlsym(RTLD_NEXT, "pthread_create"));
  return create(thread, options, function, argument);
}

namespace catena::cpu {
namespace {

// 0 + 1 + ... + (n - 1), by four ranges.
int64_t sum_below(int64_t n) {
  std::atomic<int64_t> sum = 0;
  parallel_for(n, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) sum += i;
  });
  return sum;
}

class ParallelLimitsTest : public ::testing::Test {
 protected:
  ParallelLimitsTest() { set_num_threads(4); }
  ~ParallelLimitsTest() override {
    threads_left = 1000;
    set_num_threads(threads_before_);
  }

 private:
  int threads_before_ = get_num_threads();
};

// The runtime would end the process.
TEST_F(ParallelLimitsTest, WithoutThreadsTheCallerWorksAlone) {
  for (int left = 0; left < 3; ++left) {
    int64_t sum = 0;
    int threads = 0;
    std::thread other([&, left] {  // which has started none yet
      threads_left = left;
      sum = sum_below(1000);
      threads = parallel_threads();
    });
    other.join();
    EXPECT_EQ(sum, 499500);
    EXPECT_EQ(threads, 1);
    threads_left = 1000;
  }
  EXPECT_EQ(sum_below(1000), 499500);
}

// Where the parent's threads are missing, the runtime would wait for them.
TEST_F(ParallelLimitsTest, AChildOfForkWorksAlone) {
  ASSERT_EQ(sum_below(1000), 499500);  // starts the threads
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::alarm(30);
    const bool is_right = sum_below(1000) == 499500 && parallel_threads() == 1;
    set_num_threads(3);
    ::_exit(is_right && sum_below(1000) == 499500 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace catena::cpu
