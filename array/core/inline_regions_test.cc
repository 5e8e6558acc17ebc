#include "catena/array/core/inline_regions.h"

#include <gtest/gtest.h>

#include <mutex>
#include <set>
#include <thread>

#include "catena/array/core/parallel.h"

namespace catena::cpu {
namespace {

// The threads on which a loop of `size` elements ran, and the number of
// elements processed.
struct LoopRun {
  std::set<std::thread::id> threads;
  int64_t elements = 0;
};

LoopRun run_loop(int64_t size) {
  std::mutex mutex;
  LoopRun run;
  parallel_for(size, 1, [&](int64_t begin, int64_t end) {
    const std::lock_guard lock(mutex);
    run.threads.insert(std::this_thread::get_id());
    run.elements += end - begin;
  });
  return run;
}

TEST(InlineRegionsTest, KeepsLoopsInTheirThread) {
  const int before = get_num_threads();
  set_num_threads(3);
  LoopRun inlined;
  std::thread::id worker;
  std::thread thread([&] {
    run_this_thread_serially();
    worker = std::this_thread::get_id();
    inlined = run_loop(100);
  });
  thread.join();
  EXPECT_EQ(inlined.threads, std::set{worker});
  EXPECT_EQ(inlined.elements, 100);
  // Other threads go on as before.
  const LoopRun usual = run_loop(100);
  EXPECT_EQ(usual.threads.size(), 3u);
  EXPECT_EQ(usual.elements, 100);
  set_num_threads(before);
}

}  // namespace
}  // namespace catena::cpu
