// Tests the vector code through the ufuncs that use it, on every target of the
// machine: against the C library in higher precision for all magnitudes, and
// with rows of every length.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/kernels/kernel_slot.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/tests/support/cpu_target_test.h"

namespace catena::array {
namespace {

class LanesTest : public testing::CpuTargetTest {};

using Reference = double (*)(double);

// Errors in ULP of the result.
template <class T, class Wide>
double ulps(T actual, Wide expected) {
  using Limits = std::numeric_limits<T>;
  if (std::isnan(expected)) return std::isnan(actual) ? 0 : HUGE_VAL;
  // What rounds to infinity must be infinite.
  const Wide half = static_cast<Wide>(Limits::epsilon()) / 2;
  if (std::abs(expected) >= std::ldexp(2 - half, Limits::max_exponent - 1)) {
    return actual == std::copysign(Limits::infinity(), static_cast<T>(expected))
               ? 0
               : HUGE_VAL;
  }
  if (!std::isfinite(actual) ||
      (expected == 0 && std::signbit(actual) != std::signbit(expected))) {
    return HUGE_VAL;
  }
  int exponent;
  std::frexp(static_cast<T>(expected), &exponent);
  const Wide ulp = std::ldexp(
      Wide(1), std::max(exponent, Limits::min_exponent) - Limits::digits);
  return static_cast<double>(std::abs(actual - expected) / ulp);
}

// Floats of every sign, exponent and kind: each 3001st bit pattern.
Array floats_of_all_magnitudes() {
  std::vector<float> values;
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += 3001) {
    values.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  }
  return array(values);
}

void expect_within(const UnaryUfunc& ufunc, Reference reference, double max) {
  const Array x = floats_of_all_magnitudes();
  const Array y = ufunc(x);
  double worst = 0;
  float where = 0;
  for (int64_t i = 0; i < x.size(); ++i) {
    const double error =
        ulps(y.data<float>()[i], reference(x.data<float>()[i]));
    if (error > worst) {
      worst = error;
      where = x.data<float>()[i];
    }
  }
  EXPECT_LE(worst, max) << "at " << where;
}

TEST_P(LanesTest, ExpIsWithinOneUlp) { expect_within(exp, std::exp, 1.01); }

TEST_P(LanesTest, LogIsWithinOneUlp) { expect_within(log, std::log, 1); }

TEST_P(LanesTest, TanhIsWithinThreeUlp) { expect_within(tanh, std::tanh, 3); }

TEST_P(LanesTest, Log1pIsWithinThreeUlp) {
  expect_within(log1p, std::log1p, 3);
}

TEST_P(LanesTest, SineAndCosineAreWithinThreeUlp) {
  expect_within(sin, std::sin, 3);
  expect_within(cos, std::cos, 3);
}

template <class T>
void expect_powers_within(const Array& x, const Array& y, double max) {
  using Wide = std::conditional_t<sizeof(T) == 4, double, long double>;
  const Array z = power(x, y);
  for (int64_t i = 0; i < x.size(); ++i) {
    const T base = x.data<T>()[i];
    const T exponent = y.data<T>()[i];
    ASSERT_LE(ulps(z.data<T>()[i], std::pow(static_cast<Wide>(base),
                                            static_cast<Wide>(exponent))),
              max)
        << base << " to the power " << exponent;
  }
}

// Every kind of base with every kind of exponent, next to each other and alone
// in their registers.
template <class T>
void expect_special_powers(std::vector<T> numbers) {
  const T inf = std::numeric_limits<T>::infinity();
  for (const double number : {0., -0., 1., -1., 2., -2., .5, -.5, 3., -3., 1.5,
                              -2.5, .99, 1.01, 100., -101., 1 / 3.}) {
    numbers.push_back(static_cast<T>(number));
  }
  for (const T number : {inf, -inf, std::numeric_limits<T>::quiet_NaN(),
                         std::numeric_limits<T>::denorm_min(),
                         -std::numeric_limits<T>::min() / 3}) {
    numbers.push_back(number);
  }
  std::vector<T> bases;
  std::vector<T> exponents;
  for (const T base : numbers) {
    for (const T exponent : numbers) {
      bases.push_back(base);
      exponents.push_back(exponent);
      expect_powers_within<T>(full({40}, base, dtype_of<T>),
                              full({40}, exponent, dtype_of<T>), 2);
    }
  }
  expect_powers_within<T>(array(bases), array(exponents), 2);
}

TEST_P(LanesTest, PowersOfSpecialNumbersAreThoseOfC) {
  expect_special_powers<float>(
      {1e30f, -1e30f, 1e-30f, 0x1p24f, 0x1p23f, 8388609});
  expect_special_powers<double>(
      {1e300, -1e300, 1e-300, 0x1p53, 0x1p52, 0x1p52 + 1, 1e16, -1e16});
}

// Results from the least to the largest number: their logarithms to the base of
// 2 are up to 60 times `range`.
template <class T>
void expect_powers_of_all_sizes(double range, double max) {
  std::vector<T> bases;
  std::vector<T> exponents;
  for (int i = 0; i < 400; ++i) {
    bases.insert(bases.end(), 111,
                 static_cast<T>(std::ldexp(1 + (i % 97) / 97.3, i / 3 - 66)));
    for (int j = -60; j <= 50; ++j) {
      exponents.push_back(static_cast<T>(
          range * j / std::log2(static_cast<double>(bases.back()))));
    }
  }
  for (int i = 1; i < 20000; ++i) {  // near 1, where exponents are large
    bases.push_back(static_cast<T>(0.6 + i * 5e-5));
    exponents.push_back(static_cast<T>(
        range * (i % 110 - 60) / std::log2(static_cast<double>(bases.back()))));
  }
  expect_powers_within<T>(array(bases), array(exponents), max);
}

TEST_P(LanesTest, PowersAreWithinTwoUlp) {
  expect_powers_of_all_sizes<float>(2.5, 2);
  expect_powers_of_all_sizes<double>(21, 1.5);
}

// What a double holds exactly is exact.
TEST_P(LanesTest, WholePowersOfDoublesAreExact) {
  const Array x = arange(1, 2000, 1, Dtype::kFloat64);
  Array product = multiply(x, x);
  for (int exponent = 3; exponent <= 12; ++exponent) {
    product = multiply(product, x);
    const Array y = power(x, full(x.shape(), exponent, Dtype::kFloat64));
    for (int64_t i = 0; i < x.size(); ++i) {
      if (product.data<double>()[i] >= 0x1p53) break;
      ASSERT_EQ(y.data<double>()[i], product.data<double>()[i])
          << i + 1 << " to the power " << exponent;
    }
  }
}

// An element's power does not depend on those beside it.
TEST_P(LanesTest, PowersDoNotDependOnNeighbours) {
  const Array x = arange(1, 200, 1, Dtype::kFloat32);
  for (const double exponent : {2.0, 0.5, 3.0, -1.0}) {
    const Array expected = power(x, full({199}, exponent, Dtype::kFloat32));
    const Array mixed = full({199}, 1.7, Dtype::kFloat32);
    for (int64_t i = 0; i < 199; i += 3) mixed[i].fill(exponent);
    const Array y = power(x, mixed);
    for (int64_t i = 0; i < 199; i += 3) {
      ASSERT_EQ(y.data<float>()[i], expected.data<float>()[i]);
    }
  }
}

TEST_P(LanesTest, TanhIsOddAndNeverBeyondOne) {
  const Array x = floats_of_all_magnitudes();
  const Array y = tanh(x);
  const Array z = tanh(negative(x));
  for (int64_t i = 0; i < x.size(); ++i) {
    const float value = y.data<float>()[i];
    if (std::isnan(value)) continue;
    ASSERT_LE(std::abs(value), 1);
    ASSERT_EQ(value, -z.data<float>()[i]);
  }
}

// Doubles whose exponents cover the range.
TEST_P(LanesTest, DoublesAreWithinThreeUlp) {
  std::vector<double> values;
  for (int exponent = -60; exponent < 10; ++exponent) {
    for (int i = 0; i < 200; ++i) {
      values.push_back(std::ldexp(1 + i / 201.3, exponent));
      values.push_back(-values.back());
    }
  }
  const Array x = array(values);
  const auto expect_near = [&](const Array& y, long double (*f)(long double),
                               auto argument) {
    for (int64_t i = 0; i < x.size(); ++i) {
      const long double expected =
          f(argument(static_cast<long double>(values[i])));
      const double actual = y.data<double>()[i];
      if (std::abs(expected) > std::numeric_limits<double>::max()) {
        ASSERT_EQ(actual, std::copysign(HUGE_VAL, expected));
        continue;
      }
      if (std::abs(expected) < std::numeric_limits<double>::min()) {
        ASSERT_NEAR(actual, static_cast<double>(expected), 0x1p-1074);
        continue;
      }
      const double next = std::nextafter(std::abs(actual), HUGE_VAL);
      const long double ulp = next - std::abs(actual);
      ASSERT_LE(std::abs(actual - expected), 3 * ulp) << "at " << values[i];
    }
  };
  const auto same = [](long double v) { return v; };
  expect_near(exp(x), std::exp, same);
  expect_near(tanh(x), std::tanh, same);
  const auto positive = [](long double v) { return std::abs(v); };
  expect_near(log(absolute(x)), std::log, positive);
}

// Every number of elements up to a few registers, so that all tails occur, and
// what follows them stays.
TEST_P(LanesTest, RowsOfEveryLength) {
  for (const Dtype dtype :
       {Dtype::kFloat16, Dtype::kBFloat16, Dtype::kFloat32, Dtype::kFloat64}) {
    const Array numbers = arange(100, dtype);
    for (int64_t n = 0; n <= 70; ++n) {
      const Array whole = full({100}, 7, dtype);
      const Array part = whole[{Slice(n)}];
      part.assign(numbers[{Slice(n)}]);
      part += numbers[{Slice(n)}];
      for (int64_t i = 0; i < 100; ++i) {
        ASSERT_EQ(whole[i].item<double>(), i < n ? 2 * i : 7)
            << to_string(dtype) << ", " << n << " elements";
      }
    }
  }
}

// All of the 16-bit floats there and back.
template <class Half>
void expect_round_trip() {
  std::vector<Half> values(1 << 16);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = std::bit_cast<Half>(static_cast<uint16_t>(i));
  }
  const Array wide = array(values).astype(Dtype::kFloat32);
  const Array back = wide.astype(dtype_of<Half>);
  for (size_t i = 0; i < values.size(); ++i) {
    const float expected = static_cast<float>(values[i]);
    const float actual = wide.data<float>()[i];
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(actual));
      ASSERT_TRUE(std::isnan(static_cast<float>(back.data<Half>()[i])));
    } else {
      ASSERT_EQ(std::bit_cast<uint32_t>(actual),
                std::bit_cast<uint32_t>(expected));
      ASSERT_EQ(back.data<Half>()[i].bits, values[i].bits);
    }
  }
}

TEST_P(LanesTest, HalvesSurviveWidening) {
  expect_round_trip<float16>();
  expect_round_trip<bfloat16>();
}

TEST_P(LanesTest, NarrowingRoundsLikeTheScalar) {
  const Array x = floats_of_all_magnitudes();
  const Array half = x.astype(Dtype::kFloat16);
  const Array brain = x.astype(Dtype::kBFloat16);
  for (int64_t i = 0; i < x.size(); ++i) {
    const float value = x.data<float>()[i];
    if (std::isnan(value)) continue;
    ASSERT_EQ(half.data<float16>()[i].bits, float16(value).bits) << value;
    ASSERT_EQ(brain.data<bfloat16>()[i].bits, bfloat16(value).bits) << value;
  }
}

INSTANTIATE_TEST_SUITE_P(All, LanesTest, testing::every_cpu_target(),
                         testing::cpu_target_name);

}  // namespace
}  // namespace catena::array
