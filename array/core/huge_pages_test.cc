#include "catena/array/core/huge_pages.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

namespace catena::cpu {
namespace {

constexpr int64_t kUnit = SharedHugePages::kUnit;
constexpr int64_t kRegionBytes = SharedHugePages::kRegionBytes;

// How much of a range is in memory; -1 if none of it is mapped.
int64_t resident_bytes(char* block, int64_t bytes) {
  const int64_t page = ::sysconf(_SC_PAGESIZE);
  std::vector<unsigned char> pages(bytes / page);
  if (::mincore(block, bytes, pages.data()) != 0) return -1;
  return page * std::ranges::count_if(pages, [](int p) { return p & 1; });
}

TEST(MapHugePagesTest, BeginsWithAHugePageAndHasTheRest) {
  char* const block = map_huge_pages(4 << 20, 4096);
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % (2 << 20), 0u);
  std::memset(block, 1, (4 << 20) + 4096);
  ::munmap(block, (4 << 20) + 4096);
}

TEST(MapHugePagesTest, IsNullForMoreThanAProcessCanAddress) {
  EXPECT_EQ(map_huge_pages(int64_t{1} << 60, 0), nullptr);
}

TEST(SharedHugePagesTest, BlocksOfARegionAreApartAndSideBySide) {
  SharedHugePages pages;
  char* const first = pages.take(5 * kUnit);
  char* const second = pages.take(kUnit);
  char* const third = pages.take(70 * kUnit);
  EXPECT_EQ(second, first + 5 * kUnit);
  EXPECT_EQ(third, first + 6 * kUnit);
  pages.give_back(second, kUnit);
  EXPECT_EQ(pages.take(2 * kUnit), first + 76 * kUnit);
  EXPECT_EQ(pages.take(kUnit), second);
  for (const auto& [block, n] : {std::pair{first, 5},
                                 {second, 1},
                                 {third, 70},
                                 {first + 76 * kUnit, 2}}) {
    pages.give_back(block, n * kUnit);
  }
}

TEST(SharedHugePagesTest, AWholeRegionIsOneBlockAndTheNextHasItsOwn) {
  SharedHugePages pages;
  char* const first = pages.take(kRegionBytes);
  char* const second = pages.take(kRegionBytes);
  EXPECT_TRUE(second >= first + kRegionBytes || first >= second + kRegionBytes);
  std::memset(first, 1, kRegionBytes);
  std::memset(second, 2, kRegionBytes);
  EXPECT_EQ(first[kRegionBytes - 1], 1);
  pages.give_back(first, kRegionBytes);
  pages.give_back(second, kRegionBytes);
}

TEST(SharedHugePagesTest, WhatIsGivenBackLeavesTheMemoryOfOthersAlone) {
  SharedHugePages pages;
  char* const first = pages.take(20 * kUnit);
  char* const second = pages.take(20 * kUnit);
  char* const third = pages.take(20 * kUnit);
  for (char* block : {first, second, third}) std::memset(block, 7, 20 * kUnit);
  pages.give_back(second, 20 * kUnit);
  EXPECT_EQ(resident_bytes(first, 20 * kUnit), 20 * kUnit);
  EXPECT_EQ(resident_bytes(second, 20 * kUnit), 0);
  EXPECT_EQ(resident_bytes(third, 20 * kUnit), 20 * kUnit);
  EXPECT_EQ(std::count(first, first + 20 * kUnit, 7), 20 * kUnit);
  EXPECT_EQ(std::count(third, third + 20 * kUnit, 7), 20 * kUnit);
  pages.give_back(first, 20 * kUnit);
  pages.give_back(third, 20 * kUnit);
  EXPECT_EQ(resident_bytes(first, 60 * kUnit), -1);
}

TEST(SharedHugePagesTest, BlocksOfAnySizesInAnyOrderNeverOverlap) {
  SharedHugePages pages;
  struct Block {
    char* data;
    int64_t bytes;
    char mark;
  };
  std::vector<Block> blocks;
  std::mt19937 random(7);
  for (int i = 0; i < 3000; ++i) {
    if (blocks.size() < 60 && random() % 5 < 3) {
      const int64_t bytes = kUnit * (1 + random() % 130);
      char* const data = pages.take(bytes);
      ASSERT_EQ(reinterpret_cast<uintptr_t>(data) % kUnit, 0u);
      const char mark = static_cast<char>(i);
      data[0] = data[bytes - 1] = mark;
      blocks.push_back({data, bytes, mark});
    } else if (!blocks.empty()) {
      std::swap(blocks[random() % blocks.size()], blocks.back());
      const auto [data, bytes, mark] = blocks.back();
      ASSERT_EQ(data[0], mark);
      ASSERT_EQ(data[bytes - 1], mark);
      blocks.pop_back();
      pages.give_back(data, bytes);
    }
    std::vector<Block> sorted = blocks;
    std::ranges::sort(sorted, {}, &Block::data);
    for (size_t j = 1; j < sorted.size(); ++j) {
      ASSERT_LE(sorted[j - 1].data + sorted[j - 1].bytes, sorted[j].data);
    }
  }
  for (const Block& block : blocks) pages.give_back(block.data, block.bytes);
}

}  // namespace
}  // namespace catena::cpu
