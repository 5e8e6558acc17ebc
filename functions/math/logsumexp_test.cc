#include "catena/functions/math/logsumexp.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/functions/math/batch_l2_norm_squared.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class LogSumExpTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(LogSumExp, LogSumExpTest, testing::every_device(),
                         testing::device_name);

TEST_P(LogSumExpTest, GradientsMatchFiniteDifferences) {
  for (const AxisSet& axis : {AxisSet(), AxisSet(0), AxisSet(-1), AxisSet{0, 1},
                              AxisSet{0, 2}, AxisSet(Axes())}) {
    testing::check_function_gradients(
        [&](const Variable& x) { return logsumexp(x, axis); },
        {testing::uniform({2, 3, 4}, -3, 3)});
  }
  testing::check_function_gradients(
      [](const Variable& x) { return logsumexp(x, 1); },
      {testing::uniform({0, 2})});
  testing::check_function_gradients(batch_l2_norm_squared,
                                    {testing::uniform({3, 2, 2})});
  testing::check_function_gradients(batch_l2_norm_squared,
                                    {testing::uniform({3, 0})});
}

TEST_P(LogSumExpTest, KeepsEveryFloatingDtype) {
  for (const Dtype dtype : testing::float_dtypes()) {
    const Variable x(array::zeros({2, 3}, dtype));
    const Variable y = logsumexp(x, 1);
    EXPECT_EQ(y.dtype(), dtype);
    EXPECT_NEAR(y.data().to_vector<double>()[1], std::log(3), 1e-2);
    y.set_grad(array::ones_like(y.data()));
    y.backward();
    EXPECT_EQ(x.grad().dtype(), dtype);
    EXPECT_NEAR(x.grad().to_vector<double>()[5], 1. / 3, 1e-2);
  }
}

TEST_P(LogSumExpTest, InfinitiesStayWhatTheyAre) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const Variable x(array::array(
      {{-kInf, -kInf}, {kInf, 0.0}, {-kInf, 2.0}, {std::nan(""), 0.0}}));
  EXPECT_THAT(logsumexp(x, 1).data(),
              testing::IsArray(array::array({-kInf, kInf, 2.0, std::nan("")})));
  EXPECT_EQ(logsumexp(Variable(array::zeros({0}))).data().item<double>(),
            -kInf);
}

TEST_P(LogSumExpTest, OneLongRowIsTheSameInParts) {
  const Array x = testing::uniform({1 << 17}, -5, 5);
  const Variable parts = logsumexp(Variable(x.reshape({16, -1})), 1);
  EXPECT_THAT(logsumexp(Variable(x)).data(),
              testing::IsClose(logsumexp(parts).data(),
                               {.rtol = 1e-12, .atol = 1e-12}));
}

// Few long rows are computed in parts, many rows each as a whole.
TEST_P(LogSumExpTest, LongRowsInPartsAreTheSame) {
  for (const Dtype dtype : {Dtype::kFloat32, Dtype::kFloat64}) {
    const double tolerance = dtype == Dtype::kFloat32 ? 1e-6 : 1e-12;
    const Array rows =
        (testing::uniform({9, 70001}, -5, 5) + 1000).astype(dtype);
    const Array expected = logsumexp(Variable(rows), 1).data();
    const Variable few(rows[{Slice(3)}].T());
    EXPECT_THAT(
        logsumexp(few, 0).data(),
        testing::IsClose(expected[{Slice(3)}], {.rtol = tolerance, .atol = 0}));
  }
}

TEST_P(LogSumExpTest, InfinitiesInPartsOfLongRows) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const Array x = array::full({70001}, -kInf);
  const auto of_x = [&] {
    return logsumexp(Variable(x)).data().item<double>();
  };
  EXPECT_EQ(of_x(), -kInf);
  x[69999] = array::full({}, -1e5);
  EXPECT_EQ(of_x(), -1e5);
  x[5] = array::full({}, kInf);
  EXPECT_EQ(of_x(), kInf);
  x[40000] = array::full({}, std::nan(""));
  EXPECT_TRUE(std::isnan(of_x()));
}

TEST(LogSumExpErrorTest, NamesFunctionAndAxis) {
  const Variable x(array::zeros({2, 3}));
  const Variable integers(array::arange(3));
  EXPECT_THAT(error_of<InvalidType>([&] { logsumexp(x, 2); }),
              HasSubstr("logsumexp (Forward)\n\nExpect: x.ndim > 2"));
  EXPECT_THAT(error_of<ValueError>([&] {
                logsumexp(x, {1, -1});
              }),
              HasSubstr("logsumexp"));
  EXPECT_THAT(error_of<InvalidType>([&] { logsumexp(integers); }),
              HasSubstr("Expect: x.dtype is floating"));
  EXPECT_THAT(error_of<InvalidType>(
                  [] { batch_l2_norm_squared(Variable(array::zeros({}))); }),
              HasSubstr("batch_l2_norm_squared (Forward)\n\nExpect: x.ndim "
                        ">= 1"));
  EXPECT_THAT(error_of<InvalidType>([&] { batch_l2_norm_squared(integers); }),
              HasSubstr("Expect: x.dtype is floating"));
}

}  // namespace
}  // namespace catena::functions
