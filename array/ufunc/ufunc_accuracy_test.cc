// The accuracy of transcendental ufuncs on every CPU target, and their results
// for infinities, NaN, zeros and subnormals.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/kernels/kernel_slot.h"
#include "catena/array/random/random.h"
#include "catena/array/ufunc/ufunc.h"

namespace catena {
namespace {

namespace xp = catena::array;

using Ufunc = xp::UnaryUfunc;
using Reference = long double (*)(long double);

long double sigmoid(long double x) { return 1 / (1 + std::exp(-x)); }

struct Row {
  const char* name;
  Ufunc ufunc;
  Reference reference;
  double low;  // of the arguments
  double high;
};

const Row kRows[] = {
    {"exp", xp::exp, std::exp, -700, 700},
    {"exp_of_floats", xp::exp, std::exp, -87, 88},
    {"exp_of_small", xp::exp, std::exp, -1, 1},
    {"log", xp::log, std::log, 1e-30, 1e30},
    {"log_near_one", xp::log, std::log, 0.5, 2},
    {"log1p", xp::log1p, std::log1p, -0.999, 1000},
    {"log1p_of_small", xp::log1p, std::log1p, -1e-3, 1e-3},
    {"exp2", xp::exp2, std::exp2, -1000, 1000},
    {"exp2_of_floats", xp::exp2, std::exp2, -126, 127},
    {"expm1", xp::expm1, std::expm1, -50, 80},
    {"expm1_of_small", xp::expm1, std::expm1, -1, 1},
    {"log2", xp::log2, std::log2, 1e-30, 1e30},
    {"log2_near_one", xp::log2, std::log2, 0.5, 2},
    {"log10", xp::log10, std::log10, 1e-30, 1e30},
    {"log10_near_one", xp::log10, std::log10, 0.5, 2},
    {"cbrt", xp::cbrt, std::cbrt, -1000, 1000},
    {"sin", xp::sin, std::sin, -30000, 30000},
    {"sin_of_small", xp::sin, std::sin, -7, 7},
    {"sin_of_large", xp::sin, std::sin, -1e30, 1e30},
    {"cos", xp::cos, std::cos, -30000, 30000},
    {"cos_of_small", xp::cos, std::cos, -7, 7},
    {"tan", xp::tan, std::tan, -7, 7},
    {"arcsin", xp::arcsin, std::asin, -1, 1},
    {"arccos", xp::arccos, std::acos, -1, 1},
    {"arctan", xp::arctan, std::atan, -100, 100},
    {"sinh", xp::sinh, std::sinh, -80, 80},
    {"cosh", xp::cosh, std::cosh, -80, 80},
    {"arcsinh", xp::arcsinh, std::asinh, -1000, 1000},
    {"arccosh", xp::arccosh, std::acosh, 1, 1000},
    {"arctanh", xp::arctanh, std::atanh, -1, 1},
    {"sqrt", xp::sqrt, std::sqrt, 0, 1e30},
    {"tanh", xp::tanh, std::tanh, -25, 25},
    {"tanh_of_small", xp::tanh, std::tanh, -1e-2, 1e-2},
    {"sigmoid", xp::sigmoid, sigmoid, -80, 80},
};

using Param = std::tuple<Row, KernelTarget>;

const auto kTargets = ::testing::ValuesIn(cpu_kernel_targets());

// Makes a target current, or skips.
class OnTarget : public ::testing::Test {
 protected:
  void enter(KernelTarget target) {
    try {
      set_cpu_kernel_target(target);
    } catch (const ValueError&) {
      GTEST_SKIP() << "this machine lacks " << kernel_target_name(target);
    }
  }
  void TearDown() override { set_cpu_kernel_target(before_); }

 private:
  KernelTarget before_ = cpu_kernel_target();
};

class UfuncAccuracyTest : public OnTarget,
                          public ::testing::WithParamInterface<Param> {
 protected:
  void SetUp() override { enter(std::get<KernelTarget>(GetParam())); }

  template <class T>
  double worst_ulps() {
    const Row& row = std::get<Row>(GetParam());
    const Dtype dtype = dtype_of<T>;
    xp::random::Generator generator(1, native_device());
    const Array x =
        row.low >= 1e-30 && row.high >= 1e30
            ? xp::exp(generator.uniform(std::log(row.low), std::log(row.high),
                                        {20001}))
                  .astype(dtype)
            : generator.uniform(row.low, row.high, {20001}).astype(dtype);
    const Array y = row.ufunc(x);
    double worst = 0;
    for (int64_t i = 0; i < x.size(); ++i) {
      const T actual = y.data<T>()[i];
      const long double expected =
          row.reference(static_cast<long double>(x.data<T>()[i]));
      if (std::abs(expected) > std::numeric_limits<T>::max()) continue;
      int exponent;
      std::frexp(static_cast<double>(expected), &exponent);
      const long double ulp = std::ldexp(
          1.0L, std::max(exponent, std::numeric_limits<T>::min_exponent) -
                    std::numeric_limits<T>::digits);
      worst = std::max(worst,
                       static_cast<double>(std::abs(actual - expected) / ulp));
    }
    return worst;
  }
};

TEST_P(UfuncAccuracyTest, Float32IsWithinFourUlp) {
  EXPECT_LE(worst_ulps<float>(), 4);
}

TEST_P(UfuncAccuracyTest, Float64IsWithinFourUlp) {
  EXPECT_LE(worst_ulps<double>(), 4);
}

INSTANTIATE_TEST_SUITE_P(All, UfuncAccuracyTest,
                         ::testing::Combine(::testing::ValuesIn(kRows),
                                            kTargets),
                         [](const ::testing::TestParamInfo<Param>& info) {
                           return std::string(std::get<Row>(info.param).name) +
                                  "_" +
                                  std::string(kernel_target_name(
                                      std::get<KernelTarget>(info.param)));
                         });

// The same of every lane: 67 copies fill registers and leave a tail.
template <class T>
void expect_at(Ufunc ufunc, T x, T expected, const char* what) {
  const Array y = ufunc(xp::array(std::vector<T>(67, x)));
  for (int64_t i = 0; i < 67; ++i) {
    const T actual = y.data<T>()[i];
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(actual)) << what << " of " << x;
    } else {
      EXPECT_EQ(actual, expected) << what << " of " << x;
      EXPECT_EQ(std::signbit(actual), std::signbit(expected))
          << what << " of " << x;
    }
  }
}

template <class T>
void expect_special_values() {
  constexpr T inf = std::numeric_limits<T>::infinity();
  const T nan = std::numeric_limits<T>::quiet_NaN();
  constexpr T min = std::numeric_limits<T>::denorm_min();
  expect_at<T>(xp::exp, inf, inf, "exp");
  expect_at<T>(xp::exp, -inf, 0, "exp");
  expect_at<T>(xp::exp, 1e4, inf, "exp");
  expect_at<T>(xp::exp, -1e4, 0, "exp");
  expect_at<T>(xp::exp, 0, 1, "exp");
  expect_at<T>(xp::exp, min, 1, "exp");
  expect_at<T>(xp::exp, nan, nan, "exp");
  expect_at<T>(xp::log, 0, -inf, "log");
  expect_at<T>(xp::log, -T(0), -inf, "log");
  expect_at<T>(xp::log, -1, nan, "log");
  expect_at<T>(xp::log, -inf, nan, "log");
  expect_at<T>(xp::log, inf, inf, "log");
  expect_at<T>(xp::log, 1, 0, "log");
  expect_at<T>(xp::log, nan, nan, "log");
  expect_at<T>(xp::log1p, -1, -inf, "log1p");
  expect_at<T>(xp::log1p, -2, nan, "log1p");
  expect_at<T>(xp::log1p, inf, inf, "log1p");
  expect_at<T>(xp::log1p, 0, 0, "log1p");
  expect_at<T>(xp::log1p, -T(0), -T(0), "log1p");
  expect_at<T>(xp::log1p, nan, nan, "log1p");
  expect_at<T>(xp::exp2, inf, inf, "exp2");
  expect_at<T>(xp::exp2, -inf, 0, "exp2");
  expect_at<T>(xp::exp2, 1e4, inf, "exp2");
  expect_at<T>(xp::exp2, -1e4, 0, "exp2");
  expect_at<T>(xp::exp2, 10, 1024, "exp2");
  expect_at<T>(xp::exp2, nan, nan, "exp2");
  expect_at<T>(xp::expm1, inf, inf, "expm1");
  expect_at<T>(xp::expm1, -inf, -1, "expm1");
  expect_at<T>(xp::expm1, 1e4, inf, "expm1");
  expect_at<T>(xp::expm1, -1e4, -1, "expm1");
  expect_at<T>(xp::expm1, 0, 0, "expm1");
  expect_at<T>(xp::expm1, -T(0), -T(0), "expm1");
  expect_at<T>(xp::expm1, min, min, "expm1");
  expect_at<T>(xp::expm1, nan, nan, "expm1");
  for (const xp::UnaryUfunc& ufunc : {xp::log2, xp::log10}) {
    expect_at<T>(ufunc, 0, -inf, "log2 or log10");
    expect_at<T>(ufunc, -T(0), -inf, "log2 or log10");
    expect_at<T>(ufunc, -1, nan, "log2 or log10");
    expect_at<T>(ufunc, inf, inf, "log2 or log10");
    expect_at<T>(ufunc, 1, 0, "log2 or log10");
    expect_at<T>(ufunc, nan, nan, "log2 or log10");
  }
  expect_at<T>(xp::log2, 8, 3, "log2");
  expect_at<T>(xp::log2, min, std::log2(min), "log2");
  for (const xp::UnaryUfunc& ufunc : {xp::sin, xp::cos}) {
    expect_at<T>(ufunc, inf, nan, "sin or cos");
    expect_at<T>(ufunc, -inf, nan, "sin or cos");
    expect_at<T>(ufunc, nan, nan, "sin or cos");
  }
  expect_at<T>(xp::sin, -T(0), -T(0), "sin");
  expect_at<T>(xp::sin, min, min, "sin");
  expect_at<T>(xp::cos, 0, 1, "cos");
  expect_at<T>(xp::sqrt, -1, nan, "sqrt");
  expect_at<T>(xp::sqrt, inf, inf, "sqrt");
  expect_at<T>(xp::sqrt, -T(0), -T(0), "sqrt");
  expect_at<T>(xp::tanh, inf, 1, "tanh");
  expect_at<T>(xp::tanh, -inf, -1, "tanh");
  expect_at<T>(xp::tanh, 1e4, 1, "tanh");
  expect_at<T>(xp::tanh, -T(0), -T(0), "tanh");
  expect_at<T>(xp::tanh, min, min, "tanh");
  expect_at<T>(xp::tanh, nan, nan, "tanh");
  expect_at<T>(xp::sigmoid, inf, 1, "sigmoid");
  expect_at<T>(xp::sigmoid, -inf, 0, "sigmoid");
  expect_at<T>(xp::sigmoid, -1e4, 0, "sigmoid");
  expect_at<T>(xp::sigmoid, 0, 0.5, "sigmoid");
  expect_at<T>(xp::sigmoid, nan, nan, "sigmoid");
}

class UfuncSpecialValueTest
    : public OnTarget,
      public ::testing::WithParamInterface<KernelTarget> {
 protected:
  void SetUp() override { enter(GetParam()); }
};

TEST_P(UfuncSpecialValueTest, InfinitiesNansAndZerosFollowTheStandard) {
  expect_special_values<float>();
  expect_special_values<double>();
}

TEST_P(UfuncSpecialValueTest, DenormalsKeepTheirLogarithm) {
  const Array y = xp::log(xp::array(std::vector<float>(67, 1e-42f)));
  const Array z = xp::log(xp::array(std::vector<double>(67, 1e-310)));
  for (int64_t i = 0; i < 67; ++i) {
    EXPECT_FLOAT_EQ(y.data<float>()[i], std::log(1e-42f));
    EXPECT_DOUBLE_EQ(z.data<double>()[i], std::log(1e-310));
  }
}

INSTANTIATE_TEST_SUITE_P(All, UfuncSpecialValueTest, kTargets,
                         [](const auto& info) {
                           return std::string(kernel_target_name(info.param));
                         });

}  // namespace
}  // namespace catena
