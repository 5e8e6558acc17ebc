#include "catena/array/kernels/random_math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "catena/array/kernels/philox.h"
#include "catena/array/kernels/random_ops.h"

namespace catena::array::internal {
namespace {

// The error of y in ULP of the exact value.
template <class T>
double ulps(T y, long double expected) {
  int exponent;
  std::frexp(static_cast<double>(expected), &exponent);
  const long double ulp =
      std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits);
  return static_cast<double>(std::abs(static_cast<long double>(y) - expected) /
                             ulp);
}

template <class T>
class RandomMathTest : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(RandomMathTest, Types);

TYPED_TEST(RandomMathTest, LogIsWithinThreeUlp) {
  double worst = 0;
  const auto check = [&worst](TypeParam x) {
    worst = std::max(
        worst, ulps(log_of_positive(x), std::log(static_cast<long double>(x))));
  };
  for (uint64_t i = 0; i < 200000; ++i) {
    const PhiloxWords words = philox(i, 1);
    const double unit = unit_interval(words.v[0], words.v[1]) + 0x1p-53;
    check(static_cast<TypeParam>(unit));
    check(static_cast<TypeParam>(std::ldexp(unit, -30)));
    check(static_cast<TypeParam>(1 - std::ldexp(unit, -8)));
  }
  EXPECT_LE(worst, 3);
  EXPECT_EQ(log_of_positive(TypeParam(1)), 0);
}

TYPED_TEST(RandomMathTest, SineAndCosineAreWithinOneUlpOfOne) {
  constexpr auto kUlp = std::numeric_limits<TypeParam>::epsilon();
  constexpr long double kQuarter = std::numbers::pi_v<long double> / 2;
  long double worst = 0;
  for (int quarters = 0; quarters < 5; ++quarters) {
    for (int i = -1000; i <= 1000; ++i) {
      const auto x = static_cast<TypeParam>(i * (kQuarter / 2000));
      const long double angle = quarters * kQuarter + x;
      const auto at = sine_and_cosine(static_cast<uint32_t>(quarters), x);
      worst = std::max(worst, std::abs(at.sine - std::sin(angle)));
      worst = std::max(worst, std::abs(at.cosine - std::cos(angle)));
    }
  }
  EXPECT_LE(worst, kUlp);
}

TEST(RandomIntegerTest, MultiplyHighIsTheUpperHalf) {
  for (uint64_t i = 0; i < 10000; ++i) {
    const PhiloxWords words = philox(i, 2);
    const uint64_t a = uint64_t{words.v[0]} << 32 | words.v[1];
    const uint64_t b = (uint64_t{words.v[2]} << 32 | words.v[3]) >> (i % 64);
    EXPECT_EQ(
        multiply_high(a, b),
        static_cast<uint64_t>(static_cast<unsigned __int128>(a) * b >> 64));
  }
  EXPECT_EQ(multiply_high(~uint64_t{0}, ~uint64_t{0}), ~uint64_t{0} - 1);
}

TEST(RandomIntegerTest, ScaledWordsStayBelowTheRange) {
  constexpr uint32_t kOnes = 0xffffffff;
  for (const uint64_t range :
       {uint64_t{1}, uint64_t{10}, uint64_t{1} << 31, uint64_t{1} << 32}) {
    EXPECT_EQ(scale_word(0, 0, range), 0u);
    EXPECT_EQ(scale_word(kOnes, kOnes, range), range - 1);
  }
  int64_t out[1];
  const uint32_t max[4] = {kOnes, kOnes, kOnes, kOnes};
  WideRandintOp{0, ~uint64_t{0}}(max, out);
  EXPECT_EQ(static_cast<uint64_t>(out[0]), ~uint64_t{0} - 1);
  const uint32_t min[4] = {};
  WideRandintOp{-5, ~uint64_t{0}}(min, out);
  EXPECT_EQ(out[0], -5);
}

}  // namespace
}  // namespace catena::array::internal
