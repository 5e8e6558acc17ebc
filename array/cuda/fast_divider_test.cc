#include "catena/array/cuda/fast_divider.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>

namespace catena::cuda {
namespace {

constexpr uint32_t kMaxUint32 = 0x7fffffff;

TEST(FastDividerTest, AgreesWithDivisionAtTheEdges) {
  for (const uint32_t d :
       {1u, 2u, 3u, 5u, 7u, 10u, 255u, 256u, 257u, 65535u, 65537u, 1u << 30,
        (1u << 30) + 1, kMaxUint32 - 1, kMaxUint32}) {
    const FastDivider divider(d);
    EXPECT_EQ(divider.divisor(), d);
    for (const uint32_t n :
         {0u, 1u, d - 1, d, d < kMaxUint32 ? d + 1 : d, kMaxUint32 / d * d,
          kMaxUint32 / d * d - 1, kMaxUint32 - 1, kMaxUint32}) {
      EXPECT_EQ(divider.divide(n), n / d) << n << " / " << d;
    }
  }
}

TEST(FastDividerTest, AgreesWithDivisionOnRandomNumbers) {
  std::mt19937 random(20260726);
  for (int i = 0; i < 200000; ++i) {
    const uint32_t d = 1 + (random() & kMaxUint32) % (1u << (i % 31));
    const uint32_t n = random() & kMaxUint32;
    ASSERT_EQ(FastDivider(d).divide(n), n / d) << n << " / " << d;
  }
}

TEST(IndexDividerTest, AgreesWithDivisionOfAnySize) {
  constexpr int64_t kFar = int64_t{1} << 33;
  for (const int64_t d : {int64_t{1}, int64_t{7}, int64_t{kMaxUint32}, kFar}) {
    const IndexDivider divider(d);
    EXPECT_EQ(divider.divisor(), d);
    for (const int64_t n : {int64_t{0}, int64_t{5}, int64_t{kMaxUint32},
                            int64_t{kMaxUint32} + 1, kFar - 1, 3 * kFar + 2}) {
      EXPECT_EQ(divider.divide(n), n / d) << n << " / " << d;
    }
  }
}

TEST(IndexDividerTest, AgreesWithDivisionOnRandomNumbers) {
  std::mt19937_64 random(20260726);
  constexpr uint64_t kMaxIndex = std::numeric_limits<int64_t>::max();
  for (int i = 0; i < 200000; ++i) {
    const auto d = static_cast<int64_t>(1 + (random() & kMaxIndex) %
                                                (uint64_t{1} << (i % 63)));
    const auto n = static_cast<int64_t>((random() & kMaxIndex) >> (i % 37));
    ASSERT_EQ(IndexDivider(d).divide(n), n / d) << n << " / " << d;
  }
  for (const uint64_t d : {kMaxIndex, kMaxIndex - 1, uint64_t{1} << 62,
                           (uint64_t{1} << 62) + 1, uint64_t{3}}) {
    for (const uint64_t n : {kMaxIndex, kMaxIndex - 1, d, d - 1}) {
      ASSERT_EQ(
          IndexDivider(static_cast<int64_t>(d)).divide(static_cast<int64_t>(n)),
          static_cast<int64_t>(n / d))
          << n << " / " << d;
    }
  }
}

}  // namespace
}  // namespace catena::cuda
