#include "catena/cuda/pinned_memory_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/tests/testing/error_of.h"

namespace catena::cuda {
namespace {

using ::catena::testing::error_of;

int64_t available_bytes = 0;
int live_blocks = 0;

void* allocate_fake(int64_t bytes) {
  if (bytes > available_bytes) return nullptr;
  ++live_blocks;
  return std::malloc(static_cast<size_t>(bytes));
}

void free_fake(void* data) noexcept {
  --live_blocks;
  std::free(data);
}

class PinnedMemoryPoolTest : public ::testing::Test {
 protected:
  void SetUp() override {
    available_bytes = 1 << 20;
    live_blocks = 0;
  }
  PinnedMemoryPool pool_{allocate_fake, free_fake};
};

TEST_F(PinnedMemoryPoolTest, ReusesABlockOfTheSamePowerOfTwo) {
  void* a = pool_.allocate(5000);
  pool_.deallocate(a, 5000);
  EXPECT_EQ(pool_.n_free_blocks(), 1);
  EXPECT_EQ(pool_.allocate(8192), a);
  EXPECT_EQ(pool_.n_free_blocks(), 0);
  void* b = pool_.allocate(8193);
  EXPECT_NE(b, a);
  pool_.deallocate(a, 8192);
  pool_.deallocate(b, 8193);
  EXPECT_EQ(live_blocks, 2);
}

TEST_F(PinnedMemoryPoolTest, KeepsABlockUntilTheDeviceIsDone) {
  bool done = false;
  void* a = pool_.allocate(100);
  pool_.deallocate(a, 100, [&done] { return done; });
  void* b = pool_.allocate(100);
  EXPECT_NE(b, a);
  done = true;
  EXPECT_EQ(pool_.allocate(100), a);
  pool_.deallocate(a, 100);
  pool_.deallocate(b, 100);
}

TEST_F(PinnedMemoryPoolTest, FreeAllBlocksLeavesThoseStillInUseByTheDevice) {
  bool done = false;
  void* a = pool_.allocate(100);
  void* b = pool_.allocate(100);
  pool_.deallocate(a, 100, [&done] { return done; });
  pool_.deallocate(b, 100);
  pool_.free_all_blocks();
  EXPECT_EQ(live_blocks, 1);
  EXPECT_EQ(pool_.n_free_blocks(), 1);
  done = true;
  pool_.free_all_blocks();
  EXPECT_EQ(live_blocks, 0);
}

TEST_F(PinnedMemoryPoolTest, RefusesWhatTheSystemRefuses) {
  EXPECT_THAT(error_of<OutOfMemoryError>([&] { pool_.allocate(2 << 20); }),
              "pinned memory: cannot allocate 2097152 "
              "bytes of page-locked memory: 0 bytes in "
              "use, 0 cached");
  EXPECT_THROW(pool_.allocate(INT64_MAX), OutOfMemoryError);
}

TEST_F(PinnedMemoryPoolTest, CountsItsBytes) {
  const auto expect_bytes = [&](int64_t used, int64_t free) {
    EXPECT_EQ(pool_.statistics().used_bytes, used);
    EXPECT_EQ(pool_.statistics().free_bytes, free);
  };
  void* a = pool_.allocate(100);
  void* b = pool_.allocate(5000);
  expect_bytes(4096 + 8192, 0);
  pool_.deallocate(a, 100, [] { return false; });
  pool_.deallocate(b, 5000);
  expect_bytes(0, 4096 + 8192);
  b = pool_.allocate(8000);
  expect_bytes(8192, 4096);
  pool_.deallocate(b, 8000);
  pool_.free_all_blocks();
  expect_bytes(0, 4096);
}

// However many copies are under way.
TEST_F(PinnedMemoryPoolTest, AsksAboutAFewBlocksOnly) {
  available_bytes = 1 << 30;
  int questions = 0;
  std::vector<void*> blocks;
  for (int i = 0; i < 1000; ++i) blocks.push_back(pool_.allocate(100));
  for (void* block : blocks) {
    pool_.deallocate(block, 100, [&] {
      ++questions;
      return false;
    });
  }
  void* last = pool_.allocate(100);
  EXPECT_LE(questions, 10);
  // What another stream has finished is found nevertheless.
  bool done = false;
  pool_.deallocate(last, 100, [&] { return done; });
  done = true;
  std::vector<void*> taken;
  for (int i = 0; i < 1000 && live_blocks < 2000; ++i) {
    taken.push_back(pool_.allocate(100));
    if (taken.back() == last) break;
  }
  EXPECT_EQ(taken.back(), last);
  for (void* block : taken) pool_.deallocate(block, 100);
}

}  // namespace
}  // namespace catena::cuda
