#include "catena/array/printing/float_format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <vector>

#include "catena/array/printing/decimal.h"

namespace catena::array {
namespace {

std::string scientific(double value, Dtype dtype, FractionDigits digits = {}) {
  const Decimal decimal = scientific_decimal(value, dtype, digits);
  return decimal.integer + "." + decimal.fraction + "e" +
         std::to_string(decimal.exponent);
}

std::string positional(double value, Dtype dtype, FractionDigits digits = {}) {
  const Decimal decimal = positional_decimal(value, dtype, digits);
  return decimal.integer + "." + decimal.fraction;
}

template <class Half>
void expect_shortest_text_reads_back(Dtype dtype) {
  for (uint32_t bits = 0; bits < 0x8000; ++bits) {
    Half half;
    half.bits = static_cast<uint16_t>(bits);
    const double value = static_cast<float>(half);
    if (!std::isfinite(value)) continue;
    const std::string text = scientific(value, dtype);
    EXPECT_EQ(Half(std::strtof(text.c_str(), nullptr)).bits, bits) << text;
  }
}

TEST(DecimalTest, EveryFloat16ReadsBack) {
  expect_shortest_text_reads_back<float16>(Dtype::kFloat16);
}

TEST(DecimalTest, EveryBFloat16ReadsBack) {
  expect_shortest_text_reads_back<bfloat16>(Dtype::kBFloat16);
}

TEST(DecimalTest, UsesAsFewDigitsAsTheDtypeNeeds) {
  const double tenth16 = static_cast<float>(float16(0.1f));
  EXPECT_EQ(positional(tenth16, Dtype::kFloat16), "0.1");
  EXPECT_EQ(positional(tenth16, Dtype::kFloat32), "0.099975586");
  EXPECT_EQ(positional(static_cast<double>(0.1f), Dtype::kFloat32), "0.1");
  EXPECT_EQ(positional(static_cast<double>(0.1f), Dtype::kFloat64),
            "0.10000000149011612");
}

// 2^-6 has its lower neighbour at half the distance of the upper one.
TEST(DecimalTest, TakesTheUpperOfTwoEquallyNearTextsAtAPowerOfTwo) {
  EXPECT_EQ(positional(0.015625, Dtype::kFloat16), "0.01563");
}

TEST(DecimalTest, RoundsHalfToEvenFromTheExactValue) {
  EXPECT_EQ(positional(0.125, Dtype::kFloat64, {.min = 0, .max = 2}), "0.12");
  EXPECT_EQ(positional(0.375, Dtype::kFloat64, {.min = 0, .max = 2}), "0.38");
  EXPECT_EQ(scientific(2.675, Dtype::kFloat64, {.min = 2, .max = 2}), "2.67e0");
}

TEST(DecimalTest, IntegerDigitsAreExactOnlyWhenAskedFor) {
  EXPECT_EQ(positional(5712, Dtype::kFloat16), "5710.");
  EXPECT_EQ(positional(5712, Dtype::kFloat16, {.min = 0}), "5712.");
}

TEST(DecimalTest, ExtremesHaveTheirDigits) {
  using Limits = std::numeric_limits<double>;
  EXPECT_EQ(scientific(Limits::denorm_min(), Dtype::kFloat64), "5.e-324");
  EXPECT_EQ(scientific(Limits::max(), Dtype::kFloat64),
            "1.7976931348623157e308");
  EXPECT_EQ(scientific(65504, Dtype::kFloat16), "6.55e4");
  EXPECT_EQ(positional(0, Dtype::kFloat16), "0.");
}

TEST(FloatFormatTest, AlignsPoints) {
  const std::vector<double> values = {1.5, -20.25};
  const FloatFormat format(values, Dtype::kFloat64, {});
  EXPECT_EQ(format(1.5), "  1.5 ");
  EXPECT_EQ(format(-20.25), "-20.25");
}

TEST(FloatFormatTest, NamesWhatIsNotFinite) {
  const std::vector<double> values = {1, NAN, -INFINITY};
  const FloatFormat format(values, Dtype::kFloat64, {});
  EXPECT_EQ(format(1), "  1.");
  EXPECT_EQ(format(NAN), " nan");
  EXPECT_EQ(format(-NAN), " nan");
  EXPECT_EQ(float_text(-NAN, Dtype::kFloat32), "nan");
  EXPECT_EQ(format(-INFINITY), "-inf");
}

TEST(FloatTextTest, SwitchesToAnExponentAtBothEnds) {
  EXPECT_EQ(float_text(1, Dtype::kFloat64), "1.0");
  EXPECT_EQ(float_text(-0.0, Dtype::kFloat64), "-0.0");
  EXPECT_EQ(float_text(1e-4, Dtype::kFloat64), "0.0001");
  EXPECT_EQ(float_text(9e-5, Dtype::kFloat64), "9e-05");
  EXPECT_EQ(float_text(1e15, Dtype::kFloat64), "1000000000000000.0");
  EXPECT_EQ(float_text(1.5e16, Dtype::kFloat64), "1.5e+16");
  EXPECT_EQ(float_text(-INFINITY, Dtype::kFloat32), "-inf");
}

}  // namespace
}  // namespace catena::array
