#include "catena/array/core/memory_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/tests/testing/error_of.h"

namespace catena::cpu {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

// AddressSanitizer builds allocate every block from the system.
#ifdef __SANITIZE_ADDRESS__
constexpr bool kCaches = false;
#else
constexpr bool kCaches = true;
#endif

// ThreadSanitizer's own memory is resident, too.
#ifdef __SANITIZE_THREAD__
constexpr bool kIsAlone = false;
#else
constexpr bool kIsAlone = true;
#endif

constexpr int64_t kSizes[] = {0,       1,        63,      64,
                              65,      1000,     1024,    1025,
                              4096,    16 << 10, 1 << 20, (1 << 20) + 1,
                              3 << 20, 17 << 20};

// What the process has in memory.
int64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  int64_t pages = 0;
  int64_t resident = 0;
  statm >> pages >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

void* filled_block(int64_t bytes) {
  return std::memset(pool_allocate(bytes), 1, static_cast<size_t>(bytes));
}

class MemoryPoolTest : public ::testing::Test {
 protected:
  void TearDown() override { set_memory_pool_limit(0); }
};

TEST(MemoryPoolDeathTest, TheFirstBlockWarnsOfVariablesWithoutMeaning) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process of its own
  ::setenv("CUPY_UNHEARD_OF", "1", 1);
  EXPECT_EXIT(
      {
        pool_allocate(64);
        std::exit(0);
      },
      ::testing::ExitedWithCode(0),
      "warning: CUPY_UNHEARD_OF is set, but means nothing to catena");
  ::unsetenv("CUPY_UNHEARD_OF");
}

TEST_F(MemoryPoolTest, BlocksAreAlignedWritableAndApart) {
  std::vector<std::pair<char*, int64_t>> blocks;
  for (int repeat = 0; repeat < 3; ++repeat) {
    for (const int64_t size : kSizes) {
      auto* block = static_cast<char*>(pool_allocate(size));
      EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 64, 0u) << size;
      std::memset(block, static_cast<int>(blocks.size()), size);
      blocks.emplace_back(block, size);
    }
  }
  for (size_t i = 0; i < blocks.size(); ++i) {
    const auto [block, size] = blocks[i];
    for (int64_t at = 0; at < size; at += 61) {
      ASSERT_EQ(block[at], static_cast<char>(i));
    }
    if (size > 0) {
      EXPECT_EQ(block[size - 1], static_cast<char>(i));
    }
  }
  for (const auto& [block, size] : blocks) pool_free(block, size);
}

TEST_F(MemoryPoolTest, AFreedBlockIsTheNextOneOfItsSize) {
  if (!kCaches) GTEST_SKIP() << "no caching under AddressSanitizer";
  for (const int64_t size : kSizes) {
    void* first = pool_allocate(size);
    pool_free(first, size);
    void* second = pool_allocate(size);
    EXPECT_EQ(first, second) << size;
    pool_free(second, size);
  }
}

TEST_F(MemoryPoolTest, ALargeBlockServesSlightlySmallerRequests) {
  if (!kCaches) GTEST_SKIP() << "no caching under AddressSanitizer";
  free_all_blocks();
  void* first = pool_allocate(20 << 20);
  pool_free(first, 20 << 20);
  void* smaller = pool_allocate(18 << 20);
  EXPECT_EQ(smaller, first);
  pool_free(smaller, 18 << 20);
  void* tiny = pool_allocate(2 << 20);  // would waste most of it
  EXPECT_NE(tiny, first);
  pool_free(tiny, 2 << 20);
}

TEST_F(MemoryPoolTest, StatisticsFollowUseAndReserve) {
  if (!kCaches) GTEST_SKIP() << "no caching under AddressSanitizer";
  free_all_blocks();
  const MemoryPoolStatistics before = memory_pool_statistics();
  void* small = pool_allocate(1000);
  void* large = pool_allocate(32 << 20);
  const MemoryPoolStatistics during = memory_pool_statistics();
  EXPECT_GE(during.used_bytes - before.used_bytes, (32 << 20) + 1000);
  EXPECT_GE(during.total_bytes() - before.total_bytes(), 32 << 20);
  pool_free(small, 1000);
  pool_free(large, 32 << 20);
  const MemoryPoolStatistics after = memory_pool_statistics();
  EXPECT_EQ(after.used_bytes, before.used_bytes);
  EXPECT_EQ(after.total_bytes(), during.total_bytes());
  EXPECT_EQ(after.free_bytes - during.free_bytes,
            during.used_bytes - after.used_bytes);
  EXPECT_EQ(after.n_free_blocks, before.n_free_blocks + 1);
  free_all_blocks();
  EXPECT_EQ(memory_pool_statistics().n_free_blocks, 0);
  EXPECT_LE(memory_pool_statistics().total_bytes(),
            during.total_bytes() - (32 << 20));
}

TEST_F(MemoryPoolTest, KeepsNoMoreThanHalfAsMuchAgainAsWasInUseAtOnce) {
  if (!kCaches) GTEST_SKIP() << "no caching under AddressSanitizer";
  free_all_blocks();
  const int64_t before = memory_pool_statistics().used_bytes;
  const auto reserved = [&] {
    const MemoryPoolStatistics now = memory_pool_statistics();
    return now.used_bytes + now.free_bytes - before;
  };
  const int64_t resident_before = resident_bytes();
  constexpr int64_t kBlock = 8 << 20;
  std::vector<void*> blocks(12);
  for (void*& block : blocks) block = filled_block(kBlock);
  for (void* block : blocks) pool_free(block, kBlock);
  // None of them serves this one; without limits there would be 28 blocks.
  pool_free(filled_block(16 * kBlock), 16 * kBlock);
  EXPECT_LE(reserved(), 25 * kBlock);
  if (kIsAlone) {
    EXPECT_LE(resident_bytes() - resident_before, 25 * kBlock);
  }
  // What was cached last stays.
  void* const again = pool_allocate(16 * kBlock);
  pool_free(again, 16 * kBlock);
  void* const other = pool_allocate(11 * kBlock);
  pool_free(other, 11 * kBlock);
  EXPECT_EQ(pool_allocate(11 * kBlock), other);
  pool_free(other, 11 * kBlock);
  free_all_blocks();
}

TEST_F(MemoryPoolTest, ALoopOfManySizesMapsThemOnlyInItsFirstRounds) {
  if (!kCaches) GTEST_SKIP() << "no caching under AddressSanitizer";
  free_all_blocks();
  // One at a time, none of which serves the next.
  const auto round = [] {
    for (const int64_t size : {4 << 20, 8 << 20, 16 << 20, 32 << 20}) {
      pool_free(pool_allocate(size), size);
    }
    return memory_pool_statistics().n_free_blocks;
  };
  for (int i = 0; i < 5; ++i) round();
  EXPECT_EQ(round(), 4);
  free_all_blocks();
}

TEST_F(MemoryPoolTest, TheLimitIsKeptAndNamed) {
  if (!kCaches) GTEST_SKIP() << "no limit under AddressSanitizer";
  free_all_blocks();
  const int64_t limit = memory_pool_statistics().total_bytes() + (64 << 20);
  set_memory_pool_limit(limit);
  EXPECT_EQ(memory_pool_statistics().limit_bytes, limit);
  void* fits = pool_allocate(40 << 20);
  EXPECT_THAT(error_of<OutOfMemoryError>([] { pool_allocate(40 << 20); }),
              HasSubstr("limit of " + std::to_string(limit)));
  // The memory in use is unharmed, and what is cached makes room.
  std::memset(fits, 1, 40 << 20);
  pool_free(fits, 40 << 20);
  void* other = pool_allocate(60 << 20);
  pool_free(other, 60 << 20);
}

TEST_F(MemoryPoolTest, ANegativeLimitIsRefused) {
  EXPECT_THROW(set_memory_pool_limit(-1), ValueError);
}

TEST_F(MemoryPoolTest, WhatNoMachineHasIsRefused) {
  const int64_t before = memory_pool_statistics().used_bytes;
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  for (const int64_t bytes : {int64_t{1} << 60, kMax - 63, kMax}) {
    EXPECT_THROW(pool_allocate(bytes), OutOfMemoryError) << bytes;
  }
  EXPECT_EQ(memory_pool_statistics().used_bytes, before);
}

TEST_F(MemoryPoolTest, BlocksMayBeFreedByAnotherThread) {
  const int64_t before = memory_pool_statistics().used_bytes;
  std::vector<std::pair<void*, int64_t>> blocks;
  for (int i = 0; i < 5000; ++i) {
    const int64_t size = 40 + 37 * (i % 100);
    blocks.emplace_back(pool_allocate(size), size);
  }
  std::thread([&] {
    for (const auto& [block, size] : blocks) pool_free(block, size);
  }).join();
  EXPECT_EQ(memory_pool_statistics().used_bytes, before);
}

TEST_F(MemoryPoolTest, ManyThreadsAllocateAtOnce) {
  const int64_t before = memory_pool_statistics().used_bytes;
  std::atomic<int> errors = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([t, &errors] {
      std::vector<std::pair<char*, int64_t>> mine;
      for (int i = 0; i < 2000; ++i) {
        const int64_t size = 1 + (i * 7919 + t) % 5000;
        auto* block = static_cast<char*>(pool_allocate(size));
        block[0] = block[size - 1] = static_cast<char>(t);
        mine.emplace_back(block, size);
        if (i % 3 == 2) {
          const auto [old, old_size] = mine[mine.size() / 2];
          errors += old[0] != t || old[old_size - 1] != t;
          pool_free(old, old_size);
          mine.erase(mine.begin() + static_cast<int64_t>(mine.size() / 2));
        }
      }
      for (const auto& [block, size] : mine) pool_free(block, size);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(errors, 0);
  EXPECT_EQ(memory_pool_statistics().used_bytes, before);
}

TEST_F(MemoryPoolTest, ThreadsThatEndHandTheirBlocksOn) {
  if (!kCaches) GTEST_SKIP() << "no caching under AddressSanitizer";
  const auto use_some = [] {
    std::vector<void*> blocks;
    for (int i = 0; i < 100; ++i) blocks.push_back(pool_allocate(50000));
    for (void* block : blocks) pool_free(block, 50000);
  };
  std::thread(use_some).join();
  const int64_t reserved = memory_pool_statistics().total_bytes();
  for (int i = 0; i < 10; ++i) std::thread(use_some).join();
  EXPECT_EQ(memory_pool_statistics().total_bytes(), reserved);
}

// A thread-local made before the pool's own is destroyed after it.
struct FreesLate {
  void* block = nullptr;
  ~FreesLate() {
    if (block != nullptr) pool_free(block, 100);
    pool_free(pool_allocate(100), 100);
  }
};

TEST_F(MemoryPoolTest, ThreadLocalsMayFreeAfterTheThreadsCacheIsGone) {
  const int64_t before = memory_pool_statistics().used_bytes;
  std::thread([] {
    thread_local FreesLate late;
    late.block = nullptr;  // constructed now, before the cache
    late.block = pool_allocate(100);
  }).join();
  EXPECT_EQ(memory_pool_statistics().used_bytes, before);
}

struct PooledObject : Pooled {
  int64_t values[9];
};

TEST_F(MemoryPoolTest, PooledObjectsComeFromThePool) {
  const int64_t before = memory_pool_statistics().used_bytes;
  auto* object = new PooledObject;
  EXPECT_GT(memory_pool_statistics().used_bytes, before);
  delete object;
  EXPECT_EQ(memory_pool_statistics().used_bytes, before);
}

TEST(CopyBytesTest, CopiesEveryByteOfAnySizeAndAlignment) {
  for (const int64_t bytes : {0, 1, 63, 64, 1000, 262144, 262145, 9000001}) {
    for (const int64_t offset : {0, 1, 64}) {
      std::vector<char> from(bytes + offset);
      std::iota(from.begin(), from.end(), 0);
      std::vector<char> to(bytes + offset + 1, 77);
      copy_bytes(to.data() + offset, from.data() + offset, bytes);
      ASSERT_TRUE(
          std::equal(from.begin() + offset, from.end(), to.begin() + offset))
          << bytes;
      EXPECT_EQ(to.back(), 77);
    }
  }
}

}  // namespace
}  // namespace catena::cpu
