#include "catena/array/core/float16.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>

namespace catena {
namespace {

float half_from_bits(uint16_t bits) {
  return static_cast<float>(std::bit_cast<float16>(bits));
}

float bfloat_from_bits(uint16_t bits) {
  return static_cast<float>(std::bit_cast<bfloat16>(bits));
}

// The value by definition: sign, exponent, mantissa.
double half_value(uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int mantissa = bits & 1023;
  const double sign = bits >> 15 ? -1 : 1;
  if (exponent == 31) return mantissa == 0 ? sign * HUGE_VAL : std::nan("");
  return sign * (exponent == 0 ? std::ldexp(mantissa, -24)
                               : std::ldexp(1024 + mantissa, exponent - 25));
}

TEST(Float16Test, EveryPatternHasItsValueAndComesBack) {
  for (int bits = 0; bits < 0x10000; ++bits) {
    const auto pattern = static_cast<uint16_t>(bits);
    const float value = half_from_bits(pattern);
    const double expected = half_value(pattern);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(value)) << bits;
      EXPECT_EQ(float16(value).bits, pattern | 0x200) << bits;  // made quiet
      continue;
    }
    EXPECT_EQ(value, expected) << bits;
    EXPECT_EQ(std::signbit(value), bits >= 0x8000) << bits;
    EXPECT_EQ(float16(value).bits, pattern) << bits;
  }
}

// Between two neighbours: below the middle down, above it up, the middle
// itself to the even one.
TEST(Float16Test, RoundsToNearestEven) {
  for (int bits = 0; bits < 0x7c00; ++bits) {
    const float low = half_from_bits(static_cast<uint16_t>(bits));
    const float high = bits + 1 == 0x7c00
                           ? 65536.0f
                           : half_from_bits(static_cast<uint16_t>(bits + 1));
    const float middle = (low + high) / 2;  // exact in float
    const int even = bits + (bits & 1);
    EXPECT_EQ(float16(middle).bits, even) << bits;
    EXPECT_EQ(float16(std::nextafter(middle, 0.0f)).bits, bits) << bits;
    EXPECT_EQ(float16(std::nextafter(middle, HUGE_VALF)).bits, bits + 1)
        << bits;
    EXPECT_EQ(float16(-middle).bits, even | 0x8000) << bits;
  }
}

TEST(Float16Test, OverflowsToInfinityAndUnderflowsToZero) {
  EXPECT_EQ(float16(65519.996f).bits, 0x7bff);
  EXPECT_EQ(float16(65520.0f).bits, 0x7c00);
  EXPECT_EQ(float16(HUGE_VALF).bits, 0x7c00);
  EXPECT_EQ(float16(-3.4e38f).bits, 0xfc00);
  EXPECT_EQ(float16(0x1p-25f).bits, 0);  // the middle between 0 and 2^-24
  EXPECT_EQ(float16(0x1.000002p-25f).bits, 1);
  EXPECT_EQ(float16(-1e-45f).bits, 0x8000);
}

TEST(Bfloat16Test, EveryPatternHasItsValueAndComesBack) {
  for (int bits = 0; bits < 0x10000; ++bits) {
    const auto pattern = static_cast<uint16_t>(bits);
    const float value = bfloat_from_bits(pattern);
    EXPECT_EQ(std::bit_cast<uint32_t>(value), uint32_t{pattern} << 16);
    const bool nan = std::isnan(value);
    EXPECT_EQ(bfloat16(value).bits, nan ? (pattern | 0x40) : pattern) << bits;
  }
}

TEST(Bfloat16Test, RoundsToNearestEven) {
  for (int bits = 0; bits < 0x7f80; ++bits) {
    const uint32_t low = static_cast<uint32_t>(bits) << 16;
    const auto at = [low](uint32_t rest) {
      return bfloat16(std::bit_cast<float>(low + rest)).bits;
    };
    EXPECT_EQ(at(0x7fff), bits);
    EXPECT_EQ(at(0x8000), bits + (bits & 1));
    EXPECT_EQ(at(0x8001), bits + 1);
  }
}

TEST(Bfloat16Test, ANanWhosePayloadIsCutStaysNan) {
  const float nan = std::bit_cast<float>(0x7f800001u);
  EXPECT_TRUE(std::isnan(static_cast<float>(bfloat16(nan))));
  EXPECT_TRUE(std::isnan(static_cast<float>(float16(nan))));
}

// A double a hair beyond the middle between two halves is nearer to one of
// them; rounded to float first it would be the middle.
TEST(Float16Test, DoublesAreRoundedOnce) {
  for (int bits = 0; bits < 0x7bff; ++bits) {
    const double low = half_from_bits(static_cast<uint16_t>(bits));
    const double high = half_from_bits(static_cast<uint16_t>(bits + 1));
    const double middle = (low + high) / 2;
    const auto half_of = [](double value) {
      return float16(internal::round_to_odd(value)).bits;
    };
    EXPECT_EQ(half_of(middle), bits + (bits & 1)) << bits;
    EXPECT_EQ(half_of(std::nextafter(middle, 0.0)), bits) << bits;
    EXPECT_EQ(half_of(std::nextafter(middle, HUGE_VAL)), bits + 1) << bits;
    EXPECT_EQ(half_of(-std::nextafter(middle, HUGE_VAL)), (bits + 1) | 0x8000)
        << bits;
  }
}

TEST(Float16Test, DoublesFarOutsideBecomeInfinityZeroOrNan) {
  const auto half_of = [](double value) {
    return float16(internal::round_to_odd(value)).bits;
  };
  EXPECT_EQ(half_of(1e300), 0x7c00);
  EXPECT_EQ(half_of(-HUGE_VAL), 0xfc00);
  EXPECT_EQ(half_of(1e-300), 0);
  EXPECT_EQ(half_of(-1e-300), 0x8000);
  EXPECT_EQ(half_of(-0.0), 0x8000);
  EXPECT_EQ(half_of(0x1.fffffep127 * 2), 0x7c00);
  EXPECT_TRUE(std::isnan(internal::round_to_odd(std::nan(""))));
}

TEST(Float16Test, ConversionsWorkInConstantExpressions) {
  static_assert(float16(1.0f).bits == 0x3c00);
  static_assert(static_cast<float>(float16(-2.5f)) == -2.5f);
  static_assert(bfloat16(1.0f).bits == 0x3f80);
  SUCCEED();
}

}  // namespace
}  // namespace catena
