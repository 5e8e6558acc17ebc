#include "catena/array/statistics/order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/tests/support/golden_device_test.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"

namespace catena::array {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;
using testing::IsArray;

class OrderGolden : public testing::GoldenDeviceTest {};

bool is_order(const testing::GoldenCase& golden) {
  const std::string op = golden.attr<std::string>("op");
  return op == "median" || op == "ptp";
}

TEST_P(OrderGolden, AgreesWithNumPy) {
  OrderOptions options;
  if (golden().has_attr("axis")) options.axis = golden().attr<Shape>("axis");
  const Array a = array("in0");
  EXPECT_THAT(golden().attr<std::string>("op") == "median" ? median(a, options)
                                                           : ptp(a, options),
              golden().is_close("out0"));
}

INSTANTIATE_TEST_SUITE_P(All, OrderGolden,
                         testing::every_device_and_case("array/reductions",
                                                        is_order),
                         testing::golden_device_name);

class OrderTest : public testing::DeviceTest {};

TEST_P(OrderTest, MedianIsTheMiddleOne) {
  EXPECT_THAT(median(array({3, 1, 2})), IsArray(array(2.0)));
  EXPECT_THAT(median(array({4, 3, 1, 2})), IsArray(array(2.5)));
  EXPECT_THAT(median(array({4.f, 1.f})),
              IsArray(full({}, 2.5f, Dtype::kFloat32)));
  const Array a = array({{{1, 9}, {5, 2}}, {{8, 3}, {4, 7}}});
  EXPECT_THAT(median(a, {.axis = {0, 2}}), IsArray(array({5.5, 4.5})));
  EXPECT_THAT(median(a, {.axis = -1, .keepdims = true}),
              IsArray(array({{{5.0}, {3.5}}, {{5.5}, {5.5}}})));
  EXPECT_THAT(median(a), IsArray(array(4.5)));
  EXPECT_THAT(median(array(7.0)), IsArray(array(7.0)));
}

TEST_P(OrderTest, MedianOfExtremes) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_THAT(median(array({inf, inf, 1.0, inf})), IsArray(array(inf)));
  const float largest = std::numeric_limits<float>::max();
  EXPECT_THAT(median(array({largest, largest}).astype(Dtype::kFloat32)),
              IsArray(full({}, largest, Dtype::kFloat32)));
  EXPECT_TRUE(
      std::isnan(median(array({1.0, std::nan(""), 2.0})).item<double>()));
  EXPECT_TRUE(std::isnan(median(zeros({0})).item<double>()));
  EXPECT_THAT(median(zeros({0, 3}), {.axis = 1}).shape(), Shape({0}));
}

// numpy 1.24: np.quantile([3, 1, 10, 4], q, method=...)
TEST_P(OrderTest, QuantilesByEveryMethod) {
  const Array a = array({3, 1, 10, 4});
  const auto at = [&](double q, QuantileMethod method) {
    return quantile(a, q, {.method = method})
        .astype(Dtype::kFloat64)
        .item<double>();
  };
  EXPECT_DOUBLE_EQ(at(0.4, QuantileMethod::kLinear), 3.2);
  EXPECT_DOUBLE_EQ(at(0.9, QuantileMethod::kLinear), 8.2);
  EXPECT_DOUBLE_EQ(at(0.4, QuantileMethod::kLower), 3);
  EXPECT_DOUBLE_EQ(at(0.4, QuantileMethod::kHigher), 4);
  EXPECT_DOUBLE_EQ(at(0.4, QuantileMethod::kMidpoint), 3.5);
  EXPECT_DOUBLE_EQ(at(0.4, QuantileMethod::kNearest), 3);
  EXPECT_DOUBLE_EQ(at(0.5, QuantileMethod::kNearest), 4);  // 1.5 to 2
  for (const double end : {0.0, 1.0}) {
    EXPECT_DOUBLE_EQ(at(end, QuantileMethod::kLinear), end == 0 ? 1 : 10);
    EXPECT_DOUBLE_EQ(at(end, QuantileMethod::kMidpoint), end == 0 ? 1 : 10);
  }
  EXPECT_EQ(quantile(a, 0.5, {.method = QuantileMethod::kLower}).dtype(),
            Dtype::kInt64);
}

TEST_P(OrderTest, SeveralQuantilesStandInFront) {
  const Array a = array({{1.0, 2.0, 3.0}, {4.0, 6.0, 8.0}});
  const std::vector<double> q = {0, 50, 100};
  EXPECT_THAT(percentile(a, q, {.axis = 1}),
              IsArray(array({{1.0, 4.0}, {2.0, 6.0}, {3.0, 8.0}})));
  EXPECT_EQ(percentile(a, q, {.axis = 1, .keepdims = true}).shape(),
            Shape({3, 2, 1}));
  EXPECT_THAT(percentile(a, 50), IsArray(array(3.5)));
  EXPECT_THAT(quantile(array({1.0, std::nan("")}), 0).shape(), Shape());
  EXPECT_TRUE(
      std::isnan(quantile(array({1.0, std::nan("")}), 0).item<double>()));
}

TEST_P(OrderTest, PtpIsTheSpread) {
  const Array a = array({{1, 5, -2}, {3, 3, 3}});
  EXPECT_THAT(ptp(a), IsArray(array(7)));
  EXPECT_THAT(ptp(a, {.axis = 1, .keepdims = true}),
              IsArray(array({{7}, {0}})));
  EXPECT_THAT(error_of<ValueError>([] { ptp(zeros({0})); }),
              HasSubstr("at least one element"));
}

TEST_P(OrderTest, WhatIsOutOfRangeIsRefused) {
  const Array a = array({1.0, 2.0});
  EXPECT_THAT(error_of<ValueError>([&] { quantile(a, 1.5); }),
              "quantile: expected q in [0, 1], got "
              "1.5");
  EXPECT_THAT(error_of<ValueError>([&] { percentile(a, std::nan("")); }),
              HasSubstr("percentile: expected q in"));
  EXPECT_THAT(error_of<ValueError>([&] {
                percentile(a, std::vector<double>{50, -1});
              }),
              HasSubstr("got -1"));
  EXPECT_THAT(error_of<ValueError>([] { quantile(zeros({0}), 0.5); }),
              HasSubstr("at least one element"));
  EXPECT_THAT(error_of<ValueError>([&] { quantile(a, std::vector<double>{}); }),
              HasSubstr("got none"));
  EXPECT_THAT(error_of<IndexError>([&] { median(a, {.axis = 1}); }),
              HasSubstr("median"));
}

INSTANTIATE_TEST_SUITE_P(All, OrderTest, testing::every_device(),
                         testing::device_name);

}  // namespace
}  // namespace catena::array
