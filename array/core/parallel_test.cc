#include "catena/array/core/parallel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <numeric>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/core/trace.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

using ::catena::testing::error_of;
using cpu::parallel_for;

class ParallelTest : public ::testing::Test {
 protected:
  void SetUp() override { set_num_threads(4); }
  void TearDown() override { set_num_threads(before_); }

 private:
  int before_ = get_num_threads();
};

TEST_F(ParallelTest, EveryIndexIsVisitedOnce) {
  for (const int64_t size : {1, 2, 3, 4, 5, 63, 64, 1000, 100003}) {
    for (const int64_t align : {1, 64}) {
      std::vector<std::atomic<int>> visits(size);
      parallel_for(
          size, 1,
          [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) ++visits[i];
          },
          align);
      EXPECT_TRUE(std::all_of(visits.begin(), visits.end(),
                              [](int count) { return count == 1; }))
          << size << " " << align;
    }
  }
}

std::vector<std::pair<int64_t, int64_t>> ranges_of(int64_t size, int64_t grain,
                                                   int64_t align) {
  std::mutex mutex;
  std::vector<std::pair<int64_t, int64_t>> ranges;
  parallel_for(
      size, grain,
      [&](int64_t begin, int64_t end) {
        const std::lock_guard lock(mutex);
        ranges.emplace_back(begin, end);
      },
      align);
  std::sort(ranges.begin(), ranges.end());
  return ranges;
}

TEST_F(ParallelTest, RangesAreNoShorterThanTheGrainAndAligned) {
  EXPECT_EQ(ranges_of(1000, 1000, 1).size(), 1u);
  EXPECT_EQ(ranges_of(1999, 1000, 1).size(), 1u);
  EXPECT_EQ(ranges_of(2000, 1000, 1).size(), 2u);
  EXPECT_EQ(ranges_of(100000, 10, 1).size(), 4u);
  for (const auto& [begin, end] : ranges_of(10001, 100, 64)) {
    EXPECT_EQ(begin % 64, 0);
    EXPECT_TRUE(end == 10001 || end % 64 == 0);
  }
}

TEST_F(ParallelTest, NothingIsCalledForNothing) {
  int calls = 0;
  parallel_for(0, 1, [&](int64_t, int64_t) { ++calls; });
  parallel_for(-5, 1, [&](int64_t, int64_t) { ++calls; });
  EXPECT_EQ(calls, 0);
}

TEST_F(ParallelTest, OneThreadRunsInTheCaller) {
  set_num_threads(1);
  const auto caller = std::this_thread::get_id();
  parallel_for(100000, 1, [&](int64_t begin, int64_t end) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_EQ(begin, 0);
    EXPECT_EQ(end, 100000);
  });
}

TEST_F(ParallelTest, ABodysExceptionComesToTheCaller) {
  for (int64_t bad = 0; bad < 4; ++bad) {
    const auto run = [bad] {
      parallel_for(4, 1, [bad](int64_t begin, int64_t end) {
        if (begin <= bad && bad < end) {
          raise<ValueError>("range ", bad, " failed");
        }
      });
    };
    EXPECT_THAT(error_of<ValueError>(run),
                "range " + std::to_string(bad) + " failed");
  }
}

TEST_F(ParallelTest, OfSeveralExceptionsOneComesAndTheNextRegionWorks) {
  EXPECT_THROW(
      parallel_for(1000, 1,
                   [](int64_t, int64_t) { throw std::runtime_error("each"); }),
      std::runtime_error);
  std::atomic<int64_t> sum = 0;
  parallel_for(1000, 1,
               [&](int64_t begin, int64_t end) { sum += end - begin; });
  EXPECT_EQ(sum, 1000);
}

TEST_F(ParallelTest, NestedRegionsRunInline) {
  std::atomic<int64_t> sum = 0;
  parallel_for(4, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto outer = std::this_thread::get_id();
      parallel_for(1000, 1, [&](int64_t first, int64_t last) {
        EXPECT_EQ(std::this_thread::get_id(), outer);
        sum += last - first;
      });
    }
  });
  EXPECT_EQ(sum, 4000);
}

TEST_F(ParallelTest, ManyThreadsRunTheirOwnRegionsAtOnce) {
  std::vector<int64_t> sums(8);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < sums.size(); ++t) {
    threads.emplace_back([t, &sums] {
      for (int repeat = 0; repeat < 50; ++repeat) {
        std::atomic<int64_t> sum = 0;
        parallel_for(1000, 10, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) sum += i;
        });
        sums[t] += sum;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int64_t sum : sums) EXPECT_EQ(sum, 50 * 499500);
}

// As on a machine that is busy with something else.
TEST_F(ParallelTest, TheCallerWorksAloneWhileOtherThreadsAreLate) {
  using std::chrono::steady_clock;
  const auto caller = std::this_thread::get_id();
  // Whether another thread took part in a region.
  const auto is_shared = [&](std::chrono::milliseconds delay) {
    std::atomic<int64_t> sum = 0;
    std::atomic<bool> shared = false;
    parallel_for(1000, 1, [&](int64_t begin, int64_t end) {
      sum += end - begin;
      if (std::this_thread::get_id() == caller) return;
      shared = true;
      std::this_thread::sleep_for(delay);
    });
    EXPECT_EQ(sum, 1000);
    return shared.load();
  };
  const auto deadline = steady_clock::now() + std::chrono::seconds(30);
  const auto in_time = [&] { return steady_clock::now() < deadline; };
  while (is_shared(std::chrono::milliseconds(5)) && in_time()) {
  }
  EXPECT_TRUE(in_time()) << "late threads were waited for in each region";
  while (!is_shared(std::chrono::milliseconds(0)) && in_time()) {
  }
  EXPECT_TRUE(in_time()) << "threads in time were never used again";
}

TEST_F(ParallelTest, TracesHaveThePartsWithTheNameOfTheTask) {
  Trace trace;
  parallel_for(4, 1, [](int64_t, int64_t) {});
  {
    const TraceSpan span("test", "my task");
    parallel_for(4, 1, [](int64_t, int64_t) {});
  }
  trace.stop();
  std::ostringstream os;
  trace.write(os);
  const auto count = [text = os.str()](const std::string& part) {
    int found = 0;
    for (size_t at = text.find(part); at != std::string::npos;
         at = text.find(part, at + 1)) {
      ++found;
    }
    return found;
  };
  EXPECT_EQ(count(R"("name":"parallel_for")"), 4);
  EXPECT_EQ(count(R"("name":"my task")"), 4 + 1);
}

TEST_F(ParallelTest, TheNumberOfThreadsIsOneKnob) {
  set_num_threads(3);
  EXPECT_EQ(get_num_threads(), 3);
  EXPECT_EQ(ranges_of(3000, 1, 1).size(), 3u);
  int seen = 0;
  std::thread([&] { seen = get_num_threads(); }).join();
  EXPECT_EQ(seen, 3);
}

TEST_F(ParallelTest, FewerThanOneThreadIsRefused) {
  EXPECT_THAT(error_of<ValueError>([] { set_num_threads(0); }),
              "set_num_threads: expected at least 1, got 0");
  EXPECT_EQ(get_num_threads(), 4);
}

}  // namespace
}  // namespace catena
