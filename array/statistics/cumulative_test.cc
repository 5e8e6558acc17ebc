#include "catena/array/statistics/cumulative.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/core/error.h"
#include "catena/array/core/parallel.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/random/random.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/tests/support/golden_device_test.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"

namespace catena::array {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;
using testing::IsArray;
using testing::IsClose;

class CumulativeGolden : public testing::GoldenDeviceTest {};

bool is_cumulative(const testing::GoldenCase& golden) {
  const std::string op = golden.attr<std::string>("op");
  return op == "cumsum" || op == "cumprod";
}

TEST_P(CumulativeGolden, AgreesWithNumPy) {
  CumulativeOptions options;
  if (golden().has_attr("axis")) options.axis = golden().attr<int64_t>("axis");
  const Array a = array("in0");
  const Array y = golden().attr<std::string>("op") == "cumsum"
                      ? cumsum(a, options)
                      : cumprod(a, options);
  EXPECT_THAT(y, golden().is_close("out0"));
}

INSTANTIATE_TEST_SUITE_P(All, CumulativeGolden,
                         testing::every_device_and_case("array/reductions",
                                                        is_cumulative),
                         testing::golden_device_name);

class CumulativeTest : public testing::DeviceTest {};

// The definition, a loop over a contiguous copy in double.
Array by_definition(const Array& a, int axis) {
  const Array y = a.to_device(native_device()).astype(Dtype::kFloat64);
  int64_t inner = 1;
  for (int i = axis + 1; i < a.ndim(); ++i) inner *= a.shape()[i];
  const int64_t extent = a.shape()[axis];
  for (int64_t i = 0; i < y.size(); ++i) {
    if (i / inner % extent > 0)
      y.data<double>()[i] += y.data<double>()[i - inner];
  }
  return y;
}

TEST_P(CumulativeTest, SumsAlongAnyAxisOfAnyLayout) {
  // Short, longer than a block, narrow and wide; whole numbers add up exactly.
  const Shape shapes[] = {{1},           {5},        {70001},  {3, 4, 5},
                          {40000, 2},    {2, 40000}, {3, 700}, {700, 3},
                          {2, 33000, 3}, {20, 1100}, {1, 1, 9}};
  for (const Shape& shape : shapes) {
    SCOPED_TRACE(to_string(shape));
    const Array a = random::randint(-9, 10, shape);
    for (int axis = 0; axis < a.ndim(); ++axis) {
      EXPECT_THAT(cumsum(a, {.axis = axis}).astype(Dtype::kFloat64),
                  IsArray(by_definition(a, axis)));
      const Array view = a[{Slice({}, {}, -1)}];
      EXPECT_THAT(
          cumsum(view.astype(Dtype::kFloat32), {.axis = axis - a.ndim()}),
          IsArray(by_definition(view, axis).astype(Dtype::kFloat32)));
    }
    EXPECT_THAT(cumsum(a), IsArray(cumsum(a.ravel(), {.axis = 0})));
  }
}

TEST_P(CumulativeTest, ProductsOfOnesAndMinusOnes) {
  const Array signs =
      subtract(multiply(random::randint(0, 2, {50000, 2}), 2), 1);
  const Array negatives = cumsum(less(signs, 0), {.axis = 0});
  const Array expected = subtract(1, multiply(remainder(negatives, 2), 2));
  EXPECT_THAT(cumprod(signs, {.axis = 0}), IsArray(expected));
}

TEST_P(CumulativeTest, LongSumsOfFloatsStayExact) {
  const Array a = full({1 << 20}, 0.1f, Dtype::kFloat32);
  const double expected = static_cast<double>(0.1f) * (1 << 20);
  EXPECT_THAT(cumsum(a)[-1].copy(),
              IsClose(full({}, expected, Dtype::kFloat32), {.rtol = 1e-7}));
}

TEST_P(CumulativeTest, DtypesFollowNumPy) {
  EXPECT_THAT(cumsum(array({true, true})), IsArray(array({1, 2})));
  EXPECT_EQ(cumsum(ones({2}, Dtype::kUInt8)).dtype(), Dtype::kUInt64);
  EXPECT_EQ(cumprod(ones({2}, Dtype::kFloat16)).dtype(), Dtype::kFloat16);
  EXPECT_THAT(cumsum(full({3}, 100, Dtype::kInt8), {.dtype = Dtype::kInt8}),
              IsArray(array({100, -56, 44}).astype(Dtype::kInt8)));
  EXPECT_THAT(
      error_of<DtypeError>([] { cumsum(ones({2}), {.dtype = Dtype::kBool}); }),
      "cumsum: expected a numeric dtype, got bool");
}

TEST_P(CumulativeTest, NothingAndOneElement) {
  EXPECT_EQ(cumsum(zeros({0, 3}), {.axis = 0}).shape(), Shape({0, 3}));
  EXPECT_THAT(cumprod(array(3.0)), IsArray(array({3.0})));
  EXPECT_THAT(error_of<IndexError>([] { cumsum(zeros({2}), {.axis = 1}); }),
              HasSubstr("cumsum"));
  EXPECT_TRUE(
      std::isnan(cumsum(array({1.0, std::nan(""), 2.0}))[2].item<double>()));
}

INSTANTIATE_TEST_SUITE_P(All, CumulativeTest, testing::every_device(),
                         testing::device_name);

TEST(CumulativeThreadsTest, DoesNotDependOnThreads) {
  random::seed(2);
  const int threads = get_num_threads();
  for (const Shape& shape : {Shape{300000}, Shape{100000, 3}}) {
    const Array a = random::normal(0, 1, shape, Dtype::kFloat64);
    set_num_threads(1);
    const Array alone = cumsum(a, {.axis = 0});
    set_num_threads(4);
    const Array together = cumsum(a, {.axis = 0});
    set_num_threads(threads);
    EXPECT_THAT(together, IsArray(alone));
  }
}

}  // namespace
}  // namespace catena::array
