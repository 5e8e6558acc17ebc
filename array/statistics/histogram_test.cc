#include "catena/array/statistics/histogram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "catena/array/array.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/random/random.h"
#include "catena/array/reduction/reduce.h"
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

class BincountGolden : public testing::GoldenDeviceTest {};

TEST_P(BincountGolden, AgreesWithNumPy) {
  EXPECT_THAT(bincount(array("in0")), IsArray(golden().array("out0")));
}

INSTANTIATE_TEST_SUITE_P(
    All, BincountGolden,
    testing::every_device_and_case("array/selection",
                                   [](const testing::GoldenCase& golden) {
                                     return golden.has_attr("op") &&
                                            golden.attr<std::string>("op") ==
                                                "bincount";
                                   }),
    testing::golden_device_name);

class HistogramTest : public testing::DeviceTest {};

TEST_P(HistogramTest, BincountCountsEveryValue) {
  const Array x = array({3, 0, 3, 1});
  EXPECT_THAT(bincount(x), IsArray(array({1, 1, 0, 2})));
  EXPECT_THAT(bincount(x, {.minlength = 6}),
              IsArray(array({1, 1, 0, 2, 0, 0})));
  EXPECT_THAT(bincount(x, {.minlength = 2}), IsArray(array({1, 1, 0, 2})));
  EXPECT_THAT(bincount(x, {.weights = array({0.5, 1.0, 2.0, 4.0})}),
              IsArray(array({1.0, 4.0, 0.0, 2.5})));
  EXPECT_THAT(bincount(x, {.weights = array({1, 1, 1, 1})}).dtype(),
              Dtype::kFloat64);
  EXPECT_THAT(bincount(array({true, false, true})), IsArray(array({1, 2})));
  EXPECT_THAT(bincount(x.astype(Dtype::kUInt8)[{Slice({}, {}, 2)}]),
              IsArray(array({0, 0, 0, 2})));
}

TEST_P(HistogramTest, BincountOfNothing) {
  EXPECT_THAT(bincount(zeros({0}, Dtype::kInt32)),
              IsArray(zeros({0}, Dtype::kInt64)));
  EXPECT_THAT(bincount(zeros({0}, Dtype::kInt32), {.minlength = 3}),
              IsArray(zeros({3}, Dtype::kInt64)));
}

TEST_P(HistogramTest, BincountOfManyValuesAddsUp) {
  const Array x = random::randint(0, 1000, {200000});
  const Array counts = bincount(x);
  EXPECT_THAT(sum(counts), IsArray(array(200000)));
  for (const int64_t value : {0, 17, 999}) {
    EXPECT_THAT(counts[value].copy(), IsArray(count_nonzero(equal(x, value))));
  }
}

TEST_P(HistogramTest, BincountRefusesWhatItCannotCount) {
  EXPECT_THAT(error_of<ValueError>([] {
                bincount(array({1, -2}));
              }),
              "bincount: expected values of at least 0, got -2");
  EXPECT_THAT(error_of<DtypeError>([] { bincount(array({1.0})); }),
              HasSubstr("got float64"));
  EXPECT_THAT(
      error_of<DtypeError>([] { bincount(zeros({2}, Dtype::kUInt64)); }),
      HasSubstr("uint64"));
  EXPECT_THAT(error_of<ShapeError>([] { bincount(array({{1}})); }),
              HasSubstr("one axis, got shape (1, 1)"));
  EXPECT_THAT(error_of<ShapeError>([] {
                bincount(array({1, 2}), {.weights = ones({3})});
              }),
              "bincount: expected weights of shape (2,), got shape (3,)");
  EXPECT_THAT(
      error_of<ValueError>([] { bincount(array({1}), {.minlength = -1}); }),
      HasSubstr("minlength"));
}

// numpy 1.24: np.histogram([1, 2, 1, 4, 5, 5], bins=4) and the like
TEST_P(HistogramTest, HistogramCountsIntervals) {
  const Array a = array({1, 2, 1, 4, 5, 5});
  const auto [hist, edges] = histogram(a, {.bins = 4});
  EXPECT_THAT(hist, IsArray(array({2, 1, 0, 3})));
  EXPECT_THAT(edges, IsArray(array({1.0, 2.0, 3.0, 4.0, 5.0})));
  EXPECT_THAT(histogram(a, {.bins = 2, .range = {{0.0, 4.0}}}).hist,
              IsArray(array({2, 2})));
  EXPECT_THAT(histogram(a, {.bins = 4, .density = true}).hist,
              IsClose(array({2.0 / 6, 1.0 / 6, 0.0, 3.0 / 6})));
  EXPECT_THAT(histogram(a, {.bins = 4,
                            .weights = array({1.f, 2.f, 4.f, 8.f, 16.f, 32.f})})
                  .hist,
              IsArray(array({5.f, 2.f, 0.f, 56.f})));
  EXPECT_EQ(histogram(a).hist.size(), 10);
}

TEST_P(HistogramTest, ElementsOnEdgesBelongToTheRight) {
  // 0.1 steps are not exact: the edges, not a division, decide.
  const Array edges = linspace(0, 1, 11);
  const Array counts = histogram(edges, {.bins = 10}).hist;
  EXPECT_THAT(counts, IsArray(array({1, 1, 1, 1, 1, 1, 1, 1, 1, 2})));
  const Array x = random::uniform(0, 1, {10000});
  const auto [hist, bounds] = histogram(x, {.bins = 7, .range = {{0.1, 0.8}}});
  for (int64_t i = 0; i < 7; ++i) {
    const Array is_in = logical_and(
        greater_equal(x, bounds[i]),
        i == 6 ? less_equal(x, bounds[i + 1]) : less(x, bounds[i + 1]));
    EXPECT_THAT(hist[i].copy(), IsArray(count_nonzero(is_in)));
  }
}

TEST_P(HistogramTest, RangesWithoutWidthAndNothing) {
  EXPECT_THAT(histogram(array({2.0, 2.0}), {.bins = 2}).bin_edges,
              IsArray(array({1.5, 2.0, 2.5})));
  EXPECT_THAT(histogram(zeros({0}), {.bins = 2}).bin_edges,
              IsArray(array({0.0, 0.5, 1.0})));
  EXPECT_THAT(histogram(zeros({0}), {.bins = 2}).hist, IsArray(array({0, 0})));
  const Array nan = array({1.0, std::nan("")});
  EXPECT_THAT(histogram(nan, {.bins = 1, .range = {{0.0, 2.0}}}).hist,
              IsArray(array({1})));
  EXPECT_THAT(error_of<ValueError>([&] { histogram(nan); }),
              HasSubstr("histogram: expected a "
                        "finite range"));
  EXPECT_THAT(error_of<ValueError>([] {
                histogram(ones({2}), {.range = {{2.0, 1.0}}});
              }),
              HasSubstr("got 2"));
  EXPECT_THAT(error_of<ValueError>([] { histogram(ones({2}), {.bins = 0}); }),
              HasSubstr("at least one bin"));
}

INSTANTIATE_TEST_SUITE_P(All, HistogramTest, testing::every_device(),
                         testing::device_name);

}  // namespace
}  // namespace catena::array
