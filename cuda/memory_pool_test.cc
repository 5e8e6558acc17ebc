#include "catena/cuda/memory_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/cuda/memory_hook.h"
#include "catena/tests/testing/error_of.h"

namespace catena::cuda {
namespace {

using ::catena::testing::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr int64_t kSegment = 2 << 20;

// A fake device of a given size with host memory.
class FakeDevice {
 public:
  explicit FakeDevice(int64_t capacity) : capacity(capacity) {}

  int64_t capacity;
  int64_t reserved = 0;
  std::map<void*, int64_t> segments;
  // (waiting stream, stream waited for)
  std::vector<std::pair<StreamPtr, StreamPtr>> waits;
};

class FakeSource final : public MemorySource {
 public:
  explicit FakeSource(FakeDevice& device) : device_(device) {}

  void* allocate(int64_t bytes) override {
    if (bytes > device_.capacity - device_.reserved) return nullptr;
    void* data = std::aligned_alloc(512, static_cast<size_t>(bytes));
    device_.reserved += bytes;
    device_.segments[data] = bytes;
    return data;
  }
  void deallocate(void* data) noexcept override {
    device_.reserved -= device_.segments.at(data);
    device_.segments.erase(data);
    std::free(data);
  }
  void order_after(StreamPtr stream, StreamPtr other) noexcept override {
    device_.waits.emplace_back(stream, other);
  }

 private:
  FakeDevice& device_;
};

class MemoryPoolTest : public ::testing::Test {
 protected:
  static constexpr StreamPtr kNull = nullptr;
  // Streams are only compared.
  const StreamPtr s1_ = reinterpret_cast<StreamPtr>(0x10);
  const StreamPtr s2_ = reinterpret_cast<StreamPtr>(0x20);

  FakeDevice device_{64 << 20};
  MemoryPool pool_{"cuda:7", std::make_unique<FakeSource>(device_)};
};

char* at(void* data, int64_t offset) {
  return static_cast<char*>(data) + offset;
}

TEST_F(MemoryPoolTest, RoundsRequestsUpTo512Bytes) {
  pool_.allocate(1, kNull);
  EXPECT_EQ(pool_.statistics().used_bytes, 512);
  pool_.allocate(513, kNull);
  EXPECT_EQ(pool_.statistics().used_bytes, 512 + 1024);
  pool_.allocate(0, kNull);
  EXPECT_EQ(pool_.statistics().used_bytes, 512 + 1024 + 512);
}

TEST_F(MemoryPoolTest, CutsSmallRequestsFromOneSegment) {
  void* a = pool_.allocate(512, kNull);
  void* b = pool_.allocate(1000, kNull);
  EXPECT_EQ(b, at(a, 512));
  EXPECT_EQ(device_.reserved, kSegment);
  EXPECT_EQ(pool_.statistics().total_bytes(), kSegment);
  EXPECT_EQ(pool_.statistics().n_free_blocks, 1);
}

TEST_F(MemoryPoolTest, ReusesAFreedBlockOfTheSameStreamWithoutAWait) {
  void* a = pool_.allocate(3 << 20, s1_);
  pool_.deallocate(a, s1_);
  EXPECT_EQ(pool_.allocate(3 << 20, s1_), a);
  EXPECT_THAT(device_.waits, IsEmpty());
  EXPECT_EQ(device_.segments.size(), 1u);
}

// What the graph no longer needs it can use again, but nobody else.
TEST_F(MemoryPoolTest, AStreamOnHoldReusesItsMemoryAlone) {
  pool_.hold(s1_);
  void* during = pool_.allocate(3 << 20, s1_);
  const int64_t used = pool_.statistics().used_bytes;
  pool_.deallocate(during, s1_);
  EXPECT_NE(pool_.allocate(3 << 20, s2_), during);
  EXPECT_EQ(pool_.allocate(3 << 20, s1_), during);
  pool_.deallocate(during, s1_);
  EXPECT_EQ(pool_.statistics().used_bytes, used + (3 << 20));
  pool_.free_all_blocks();
  EXPECT_EQ(device_.segments.count(during), 1u);
  pool_.release(s1_);
  EXPECT_EQ(pool_.statistics().used_bytes, 3 << 20);
  pool_.free_all_blocks();
  EXPECT_EQ(device_.segments.count(during), 0u);
}

TEST_F(MemoryPoolTest, MemoryOnHoldIsNotTakenOverWhenMemoryRunsOut) {
  pool_.hold(s1_);
  void* during = pool_.allocate(40 << 20, s1_);
  pool_.deallocate(during, s1_);
  EXPECT_THROW(pool_.allocate(30 << 20, s2_), OutOfMemoryError);
  pool_.release(s1_);
  EXPECT_NO_THROW(pool_.allocate(30 << 20, s2_));
}

// Taking over a block means a wait, which a capture does not allow.
TEST_F(MemoryPoolTest, AStreamOnHoldWaitsForNoOther) {
  void* other = pool_.allocate(40 << 20, s2_);
  pool_.deallocate(other, s2_);
  pool_.hold(s1_);
  pool_.allocate(30 << 20, s1_);  // after it was given back
  void* in_use = pool_.allocate(1 << 20, s2_);
  pool_.deallocate(in_use, s1_);
  EXPECT_THAT(device_.waits, IsEmpty());
  pool_.release(s1_);
}

// The graph may read it whenever it is launched.
TEST_F(MemoryPoolTest, BlocksOfOtherStreamsFreedOnHoldStayInUse) {
  void* input = pool_.allocate(3 << 20, kNull);
  pool_.hold(s1_);
  pool_.deallocate(input, s1_);
  EXPECT_THAT(device_.waits, IsEmpty());
  EXPECT_NE(pool_.allocate(3 << 20, kNull), input);
  pool_.release(s1_);
  EXPECT_EQ(pool_.allocate(3 << 20, kNull), input);
}

TEST_F(MemoryPoolTest, BlocksOnHoldFreedByOthersAreNotReusedBeforeTheRelease) {
  pool_.hold(s1_);
  void* output = pool_.allocate(3 << 20, s1_);
  void* shared = pool_.allocate(3 << 20, s1_);
  pool_.record_use(shared, s2_);
  pool_.deallocate(output, kNull);
  pool_.deallocate(shared, s1_);
  EXPECT_NE(pool_.allocate(3 << 20, s1_), output);
  EXPECT_NE(pool_.allocate(3 << 20, s1_), shared);
  EXPECT_EQ(pool_.statistics().used_bytes, 16 << 20);
  pool_.release(s1_);
  EXPECT_EQ(pool_.statistics().used_bytes, 6 << 20);
}

TEST_F(MemoryPoolTest, AHoldCountsWhatTheStreamHadCached) {
  void* before = pool_.allocate(3 << 20, s1_);
  pool_.deallocate(before, s1_);
  pool_.hold(s1_);
  EXPECT_EQ(pool_.allocate(3 << 20, s1_), before);
  EXPECT_EQ(pool_.statistics().used_bytes, pool_.statistics().total_bytes());
  pool_.release(s1_);
  EXPECT_EQ(pool_.statistics().used_bytes, 3 << 20);
}

TEST_F(MemoryPoolTest, OtherStreamsAreNotHeld) {
  pool_.hold(s1_);
  void* a = pool_.allocate(3 << 20, s2_);
  pool_.deallocate(a, s2_);
  EXPECT_EQ(pool_.allocate(3 << 20, s2_), a);
  pool_.release(s1_);
}

TEST_F(MemoryPoolTest, TakesTheBestFittingBlock) {
  void* large = pool_.allocate(8 << 20, kNull);
  void* fitting = pool_.allocate(4 << 20, kNull);
  pool_.deallocate(large, kNull);
  pool_.deallocate(fitting, kNull);
  EXPECT_EQ(pool_.allocate((4 << 20) - 700, kNull), fitting);
}

TEST_F(MemoryPoolTest, SplitsALargeBlockAndMergesItAgain) {
  void* whole = pool_.allocate(16 << 20, kNull);
  pool_.deallocate(whole, kNull);
  void* first = pool_.allocate(4 << 20, kNull);
  void* second = pool_.allocate(4 << 20, kNull);
  void* third = pool_.allocate(8 << 20, kNull);
  EXPECT_EQ(first, whole);
  EXPECT_EQ(second, at(whole, 4 << 20));
  EXPECT_EQ(third, at(whole, 8 << 20));
  EXPECT_EQ(pool_.statistics().n_free_blocks, 0);
  // The middle last: it joins both neighbours.
  pool_.deallocate(first, kNull);
  pool_.deallocate(third, kNull);
  EXPECT_EQ(pool_.statistics().n_free_blocks, 2);
  pool_.deallocate(second, kNull);
  EXPECT_EQ(pool_.statistics().n_free_blocks, 1);
  EXPECT_EQ(pool_.allocate(16 << 20, kNull), whole);
}

TEST_F(MemoryPoolTest, KeepsARestThatIsTooSmallForALargeRequest) {
  void* whole = pool_.allocate(4 << 20, kNull);
  pool_.deallocate(whole, kNull);
  EXPECT_EQ(pool_.allocate((4 << 20) - 4096, kNull), whole);
  EXPECT_EQ(pool_.statistics().used_bytes, 4 << 20);
  EXPECT_EQ(pool_.statistics().n_free_blocks, 0);
}

TEST_F(MemoryPoolTest, DoesNotCutSmallRequestsFromLargeBlocks) {
  pool_.deallocate(pool_.allocate(16 << 20, kNull), kNull);
  pool_.allocate(100, kNull);
  EXPECT_EQ(device_.reserved, (16 << 20) + kSegment);
}

TEST_F(MemoryPoolTest, DoesNotHandABlockToAnotherStreamWhileThereIsMemory) {
  void* a = pool_.allocate(4 << 20, s1_);
  pool_.deallocate(a, s1_);
  EXPECT_NE(pool_.allocate(4 << 20, s2_), a);
  EXPECT_THAT(device_.waits, IsEmpty());
}

TEST_F(MemoryPoolTest, TakesOverAnotherStreamsBlockBehindAWaitWhenMemoryEnds) {
  void* a = pool_.allocate(60 << 20, s1_);
  pool_.deallocate(a, s1_);
  EXPECT_EQ(pool_.allocate(32 << 20, s2_), a);
  EXPECT_THAT(device_.waits, ElementsAre(Pair(s2_, s1_)));
  // The rest is still the first stream's.
  EXPECT_EQ(pool_.allocate(20 << 20, s1_), at(a, 32 << 20));
  EXPECT_EQ(device_.waits.size(), 1u);
}

TEST_F(MemoryPoolTest, NeighboursOfTwoStreamsStayApart) {
  void* a = pool_.allocate(60 << 20, s1_);
  pool_.deallocate(a, s1_);
  void* taken = pool_.allocate(32 << 20, s2_);
  ASSERT_EQ(taken, a);
  pool_.deallocate(taken, s2_);
  EXPECT_EQ(pool_.statistics().n_free_blocks, 2);
  EXPECT_EQ(pool_.allocate(20 << 20, s1_), at(a, 32 << 20));
  EXPECT_EQ(device_.waits.size(), 1u);
}

TEST_F(MemoryPoolTest, TheOwnerWaitsForTheStreamThatUsedABlockLast) {
  void* a = pool_.allocate(512, s1_);
  pool_.deallocate(a, s2_);
  EXPECT_THAT(device_.waits, ElementsAre(Pair(s1_, s2_)));
}

TEST_F(MemoryPoolTest, TheOwnerWaitsForRecordedStreamsOnceEach) {
  void* a = pool_.allocate(512, kNull);
  pool_.record_use(a, s1_);
  pool_.record_use(a, s1_);
  pool_.record_use(a, s2_);
  pool_.record_use(a, kNull);
  EXPECT_THAT(device_.waits, IsEmpty());
  pool_.deallocate(a, s2_);
  EXPECT_THAT(device_.waits, ElementsAre(Pair(kNull, s2_), Pair(kNull, s1_)));
  // They are forgotten with the block.
  EXPECT_EQ(pool_.allocate(512, kNull), a);
  pool_.deallocate(a);
  EXPECT_EQ(device_.waits.size(), 2u);
}

TEST_F(MemoryPoolTest, RecordUseRefusesForeignAndFreedAddresses) {
  int foreign = 0;
  void* freed = pool_.allocate(512, kNull);
  pool_.deallocate(freed);
  for (const void* data :
       {static_cast<const void*>(&foreign), static_cast<const void*>(freed)}) {
    EXPECT_THAT(error_of<ValueError>([&] { pool_.record_use(data, s1_); }),
                HasSubstr("record_use: expected a block of cuda:7"));
  }
}

TEST_F(MemoryPoolTest, ARetiredStreamLeavesItsBlocksToTheNullStream) {
  void* used = pool_.allocate(4 << 20, s1_);
  void* idle = pool_.allocate(8 << 20, s1_);
  pool_.deallocate(idle, s1_);
  pool_.retire_stream(s1_);
  EXPECT_EQ(pool_.allocate(8 << 20, kNull), idle);
  pool_.deallocate(used, kNull);
  EXPECT_EQ(pool_.allocate(4 << 20, kNull), used);
  EXPECT_THAT(device_.waits, IsEmpty());
}

TEST_F(MemoryPoolTest, ARetiredStreamsNeighboursMerge) {
  void* whole = pool_.allocate(16 << 20, s1_);
  pool_.deallocate(whole, s1_);
  void* first = pool_.allocate(4 << 20, s1_);
  void* second = pool_.allocate(4 << 20, s1_);
  pool_.deallocate(first, s1_);
  pool_.retire_stream(s1_);
  pool_.deallocate(second, kNull);
  EXPECT_EQ(pool_.statistics().n_free_blocks, 1);
  EXPECT_EQ(pool_.allocate(16 << 20, kNull), whole);
}

TEST_F(MemoryPoolTest, NobodyWaitsForARetiredStream) {
  void* a = pool_.allocate(512, kNull);
  pool_.record_use(a, s1_);
  pool_.retire_stream(s1_);
  pool_.deallocate(a, kNull);
  EXPECT_THAT(device_.waits, IsEmpty());
}

TEST_F(MemoryPoolTest, FreeAllBlocksKeepsSegmentsInUse) {
  void* small = pool_.allocate(512, kNull);
  pool_.deallocate(pool_.allocate(8 << 20, s1_), s1_);
  pool_.free_all_blocks();
  EXPECT_EQ(device_.reserved, kSegment);
  EXPECT_EQ(pool_.statistics().free_bytes, kSegment - 512);
  pool_.deallocate(small, kNull);
  pool_.free_all_blocks();
  EXPECT_EQ(device_.reserved, 0);
  EXPECT_EQ(pool_.statistics().total_bytes(), 0);
  EXPECT_EQ(pool_.statistics().n_free_blocks, 0);
}

TEST_F(MemoryPoolTest, GivesCachedMemoryBackBeforeItGivesUp) {
  pool_.deallocate(pool_.allocate(20 << 20, kNull), kNull);
  pool_.deallocate(pool_.allocate(40 << 20, kNull), kNull);
  void* large = pool_.allocate(60 << 20, kNull);
  EXPECT_NE(large, nullptr);
  EXPECT_EQ(device_.reserved, 60 << 20);
}

TEST_F(MemoryPoolTest, OutOfMemoryNamesAllSizes) {
  pool_.allocate(40 << 20, kNull);
  EXPECT_THAT(
      error_of<OutOfMemoryError>([&] { pool_.allocate(50 << 20, kNull); }),
      "cuda:7: expected 52428800 bytes of free memory, got none: "
      "41943040 bytes in use, 0 cached in smaller or scattered "
      "blocks");
  // The pool works on.
  EXPECT_NE(pool_.allocate(20 << 20, kNull), nullptr);
}

TEST_F(MemoryPoolTest, OutOfMemoryNamesWhatCapturesHold) {
  pool_.allocate(20 << 20, kNull);
  pool_.hold(s1_);
  pool_.deallocate(pool_.allocate(30 << 20, s1_), s1_);
  EXPECT_THAT(
      error_of<OutOfMemoryError>([&] { pool_.allocate(50 << 20, kNull); }),
      HasSubstr("got none: 52428800 bytes in use (31457280 by "
                "captured graphs), 0 cached"));
  pool_.release(s1_);
  EXPECT_NE(pool_.allocate(20 << 20, kNull), nullptr);
}

TEST_F(MemoryPoolTest, SizesThatCannotBeRoundedAreOutOfMemory) {
  EXPECT_THROW(pool_.allocate(std::numeric_limits<int64_t>::max(), kNull),
               OutOfMemoryError);
}

TEST_F(MemoryPoolTest, TheLimitHolds) {
  pool_.set_limit(8 << 20);
  EXPECT_EQ(pool_.statistics().limit_bytes, 8 << 20);
  void* a = pool_.allocate(6 << 20, kNull);
  EXPECT_THAT(
      error_of<OutOfMemoryError>([&] { pool_.allocate(4 << 20, kNull); }),
      HasSubstr("limit 8388608"));
  pool_.deallocate(a, kNull);
  EXPECT_NE(pool_.allocate(8 << 20, kNull), nullptr);
  pool_.set_limit(0);
  EXPECT_NE(pool_.allocate(8 << 20, kNull), nullptr);
}

TEST_F(MemoryPoolTest, ALimitBelowASegmentStillServesSmallRequests) {
  pool_.set_limit(4096);
  EXPECT_NE(pool_.allocate(4096, kNull), nullptr);
  EXPECT_EQ(device_.reserved, 4096);
}

TEST_F(MemoryPoolTest, RefusesANegativeLimit) {
  EXPECT_THAT(error_of<ValueError>([&] { pool_.set_limit(-1); }),
              "MemoryPool::set_limit: expected at least 0, got -1");
}

TEST_F(MemoryPoolTest, GivesEverythingBackAtItsEnd) {
  {
    MemoryPool pool("cuda:0", std::make_unique<FakeSource>(device_));
    pool.allocate(512, kNull);
    pool.deallocate(pool.allocate(8 << 20, s1_), s1_);
  }
  EXPECT_EQ(device_.reserved, 0);
}

// Blocks in use never overlap, and once all are free they are whole again.
TEST_F(MemoryPoolTest, SurvivesRandomUseByManyStreams) {
  device_.capacity = int64_t{1} << 40;
  const StreamPtr streams[] = {kNull, s1_, s2_};
  struct Block {
    char* data;
    int64_t size;
    StreamPtr stream;
  };
  std::vector<Block> blocks;
  std::mt19937 random(20260726);
  const auto pick = [&](size_t n) { return random() % n; };
  for (int step = 0; step < 3000; ++step) {
    if (blocks.size() < 40 && pick(5) < 3) {
      const int64_t size =
          1 + static_cast<int64_t>(pick(pick(4) == 0 ? 6 << 20 : 20000));
      const StreamPtr stream = streams[pick(3)];
      auto* data = static_cast<char*>(pool_.allocate(size, stream));
      for (const Block& other : blocks) {
        ASSERT_TRUE(data + size <= other.data ||
                    other.data + other.size <= data);
      }
      blocks.push_back({data, size, stream});
    } else if (!blocks.empty()) {
      const size_t i = pick(blocks.size());
      pool_.deallocate(blocks[i].data, blocks[i].stream);
      blocks.erase(blocks.begin() + static_cast<int64_t>(i));
    }
    if (pick(500) == 0) pool_.free_all_blocks();
  }
  for (const Block& block : blocks) pool_.deallocate(block.data, block.stream);
  EXPECT_EQ(pool_.statistics().used_bytes, 0);
  EXPECT_EQ(pool_.statistics().free_bytes, device_.reserved);
  EXPECT_EQ(pool_.statistics().n_free_blocks,
            static_cast<int64_t>(device_.segments.size()));
}

TEST_F(MemoryPoolTest, RemembersThePeakUntilItIsReset) {
  void* a = pool_.allocate(4 << 20, nullptr);
  pool_.deallocate(a);
  EXPECT_EQ(pool_.peak().used_bytes, 4 << 20);
  EXPECT_EQ(pool_.peak().total_bytes, 4 << 20);
  pool_.reset_peak();
  EXPECT_EQ(pool_.peak().used_bytes, 0);
  EXPECT_EQ(pool_.peak().total_bytes, 4 << 20);
}

class RecordingHook : public MemoryHook {
 public:
  void malloc_preprocess(const MemoryEvent& event) override {
    record("malloc?", event);
  }
  void malloc_postprocess(const MemoryEvent& event) override {
    record("malloc", event);
  }
  void alloc_postprocess(const MemoryEvent& event) override {
    record("alloc", event);
  }
  void free_preprocess(const MemoryEvent& event) override {
    record("free?", event);
  }
  void free_postprocess(const MemoryEvent& event) override {
    record("free", event);
  }
  std::vector<std::string> events;

 private:
  void record(std::string_view what, const MemoryEvent& event) {
    events.push_back(str(what, " ", event.bytes, " ", event.block_bytes));
  }
};

TEST_F(MemoryPoolTest, CallsTheHooksOfTheScope) {
  RecordingHook outer;
  RecordingHook hook;
  std::ostringstream printed;
  MemoryDebugPrintHook print(printed);
  {
    const MemoryHookScope outer_scope(outer);
    const MemoryHookScope scope(hook);
    const MemoryHookScope print_scope(print);
    pool_.deallocate(pool_.allocate(1000, nullptr));
  }
  pool_.deallocate(pool_.allocate(1000, nullptr));
  EXPECT_THAT(hook.events,
              ::testing::ElementsAre(
                  "malloc? 1000 1024", str("alloc 1024 ", 2 << 20),
                  "malloc 1000 1024", "free? 0 1024", "free 0 1024"));
  EXPECT_EQ(outer.events, hook.events);
  EXPECT_THAT(printed.str(),
              ::testing::AllOf(::testing::HasSubstr("1000 bytes as 1024 at 0x"),
                               ::testing::HasSubstr("free ")));
}

}  // namespace
}  // namespace catena::cuda
