#include "catena/array/core/strided_copy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

namespace catena::cpu {
namespace {

std::vector<char> numbered(int64_t bytes) {
  std::vector<char> values(bytes);
  std::iota(values.begin(), values.end(), char{1});
  return values;
}

class ItemSizes : public ::testing::TestWithParam<int> {};

TEST_P(ItemSizes, TilesAreTurnedRound) {
  const int size = GetParam();
  for (int64_t rows = 0; rows <= 37; ++rows) {
    for (int64_t columns = 0; columns <= 37; columns += 3) {
      const int64_t from_stride = (columns + 3) * size;
      const int64_t to_stride = (rows + 2) * size;
      const std::vector<char> from = numbered((rows + 1) * from_stride);
      std::vector<char> to((columns + 1) * to_stride);
      std::vector<char> expected = to;
      for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < columns; ++j) {
          std::memcpy(&expected[j * to_stride + i * size],
                      &from[i * from_stride + j * size], size);
        }
      }
      transpose_items(size, to.data(), to_stride, from.data(), from_stride,
                      rows, columns);
      ASSERT_EQ(to, expected) << rows << " by " << columns;
    }
  }
}

TEST_P(ItemSizes, ItemsAreMovedByStrides) {
  const int size = GetParam();
  const std::vector<char> from = numbered(100 * size);
  std::vector<char> to(60 * size);
  move_items(size, to.data() + 59 * size, -2 * size, from.data(), 3 * size, 20);
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(std::memcmp(&to[(59 - 2 * i) * size], &from[3 * i * size], size),
              0);
  }
  move_items(size, to.data(), size, from.data() + 5 * size, 0, 60);
  for (int i = 0; i < 60; ++i) {
    ASSERT_EQ(std::memcmp(&to[i * size], &from[5 * size], size), 0);
  }
  for (const int n : {1, 15, 16, 17, 53}) {
    move_items(size, to.data(), size, from.data() + 99 * size, -size, n);
    for (int i = 0; i < n; ++i) {
      ASSERT_EQ(std::memcmp(&to[i * size], &from[(99 - i) * size], size), 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ItemSizes, ::testing::Values(1, 2, 4, 8));

TEST(StridedCopyTest, StreamsAnyNumberOfBytes) {
  const std::vector<char> from = numbered(400);
  for (int64_t n = 0; n < 400; ++n) {
    alignas(64) char to[400] = {};
    stream_bytes(to, from.data(), n);
    stream_fence();
    EXPECT_EQ(std::memcmp(to, from.data(), n), 0);
    for (int64_t i = n; i < 400; ++i) ASSERT_EQ(to[i], 0);
  }
}

}  // namespace
}  // namespace catena::cpu
