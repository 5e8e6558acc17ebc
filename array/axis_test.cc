#include "catena/array/axis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "catena/array/concatenate.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/indexing/along_axis.h"
#include "catena/array/indexing/select.h"
#include "catena/array/manipulation/edit.h"
#include "catena/array/manipulation/flip.h"
#include "catena/array/manipulation/join.h"
#include "catena/array/manipulation/repeat.h"
#include "catena/array/manipulation/split.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/sorting/sort.h"
#include "catena/array/statistics/averages.h"
#include "catena/array/statistics/cumulative.h"
#include "catena/array/statistics/order.h"
#include "catena/array/take.h"
#include "catena/array/user_kernel/functor_kernels.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"

namespace {

using namespace catena;  // as a program may
namespace xp = catena::array;
using ::catena::testing::error_of;
using catena::testing::IsArray;
using ::testing::ElementsAre;

TEST(AxisSetTest, IsAllOneSeveralOrNone) {
  EXPECT_EQ(AxisSet().normalized(3, "f"), Axes({0, 1, 2}));
  EXPECT_EQ(AxisSet(std::nullopt).normalized(2, "f"), Axes({0, 1}));
  EXPECT_EQ(AxisSet(std::optional<Axis>()).normalized(2, "f"), Axes({0, 1}));
  EXPECT_EQ(AxisSet(-1).normalized(3, "f"), Axes({2}));
  EXPECT_EQ(AxisSet(size_t{1}).normalized(3, "f"), Axes({1}));
  EXPECT_EQ(AxisSet(Axis(1)).normalized(3, "f"), Axes({1}));
  EXPECT_EQ(AxisSet({-1, 0}).normalized(3, "f"), Axes({0, 2}));
  EXPECT_EQ(AxisSet(Axes()).normalized(3, "f"), Axes());
}

TEST(AxisSetTest, NamesAxesThatDoNotFit) {
  EXPECT_THAT(error_of<IndexError>([] { AxisSet(2).normalized(2, "f"); }),
              "f: axis 2 is out of range for an array of 2 axes");
  EXPECT_THAT(error_of<ValueError>([] {
                AxisSet({1, -1}).normalized(2, "f");
              }),
              "f: axis -1 is given twice in (1, -1)");
}

// Whether a function takes an argument as its axis.
template <class T>
concept SumTakes = requires(const Array& a, T axis) {
  xp::sum(a, axis);
};
template <class T>
concept ArgmaxTakes = requires(const Array& a, T axis) {
  xp::argmax(a, axis);
};
template <class T>
concept StackTakes = requires(std::span<const Array> a, T axis) {
  xp::stack(a, axis);
};

static_assert(SumTakes<int> && SumTakes<int64_t> && SumTakes<size_t> &&
              SumTakes<Axes> && SumTakes<AxisSet> && SumTakes<Axis> &&
              SumTakes<std::optional<Axis>> && SumTakes<std::nullopt_t> &&
              SumTakes<xp::ReduceOptions>);
static_assert(ArgmaxTakes<int> && ArgmaxTakes<std::optional<int64_t>> &&
              ArgmaxTakes<std::nullopt_t>);
static_assert(StackTakes<int> && StackTakes<Axis>);
// sum(a, true) may have been meant as keepdims.
static_assert(!SumTakes<bool> && !SumTakes<double> && !SumTakes<const char*>);
static_assert(!ArgmaxTakes<bool> && !ArgmaxTakes<double> && !ArgmaxTakes<Axes>);
static_assert(!StackTakes<bool> && !StackTakes<double> &&
              !StackTakes<std::nullopt_t>);

Array sample() {
  return xp::array({{{3.0, 1.0}, {2.0, 5.0}, {4.0, 0.0}},
                    {{9.0, 7.0}, {8.0, 6.0}, {1.0, 2.0}}});
}

TEST(AxisSpellingTest, SumHasEveryOne) {
  const Array a = xp::array({{1.0, 2.0}, {3.0, 4.0}});
  const Array columns = xp::array({4.0, 6.0});
  EXPECT_THAT(xp::sum(a), IsArray(xp::array(10.0)));
  EXPECT_THAT(xp::sum(a, 0), IsArray(columns));
  EXPECT_THAT(xp::sum(a, -2), IsArray(columns));
  EXPECT_THAT(xp::sum(a, {0}), IsArray(columns));
  EXPECT_THAT(xp::sum(a, Axes{0}), IsArray(columns));
  EXPECT_THAT(xp::sum(a, {.axis = 0}), IsArray(columns));
  EXPECT_THAT(xp::sum(a, {.axis = {0}}), IsArray(columns));
  EXPECT_THAT(xp::sum(a, {.axis = Axes{0}}), IsArray(columns));
  EXPECT_THAT(xp::sum(a, {0, 1}), IsArray(xp::array(10.0)));
  EXPECT_THAT(xp::sum(a, {.axis = {0, -1}}), IsArray(xp::array(10.0)));
  EXPECT_THAT(xp::sum(a, std::nullopt), IsArray(xp::array(10.0)));
  EXPECT_THAT(xp::sum(a, {.axis = {0, 1}, .keepdims = true}),
              IsArray(xp::array({{10.0}})));
  EXPECT_THAT(xp::sum(a, {.keepdims = true}), IsArray(xp::array({{10.0}})));
  EXPECT_THAT(xp::sum(a, Axes()), IsArray(a));
}

TEST(AxisSpellingTest, ReductionsTakeOneOrSeveral) {
  const Array a = sample();
  const auto expect = [&](const char* name, const auto& f) {
    SCOPED_TRACE(name);
    const Array one = f(a, AxisSet(1));
    EXPECT_EQ(one.shape(), Shape({2, 2}));
    EXPECT_THAT(f(a, 1), IsArray(one));
    EXPECT_THAT(f(a, -2), IsArray(one));
    const Array two = f(a, Axes{0, 2});
    EXPECT_EQ(two.shape(), Shape({3}));
    EXPECT_THAT(f(a, AxisSet{-1, 0}), IsArray(two));
    EXPECT_EQ(f(a, std::nullopt).shape(), Shape());
  };
  expect("prod", [](auto&&... x) { return xp::prod(x...); });
  expect("sum_of_squares",
         [](auto&&... x) { return xp::sum_of_squares(x...); });
  expect("mean", [](auto&&... x) { return xp::mean(x...); });
  expect("max", [](auto&&... x) { return xp::max(x...); });
  expect("min", [](auto&&... x) { return xp::min(x...); });
  expect("amax", [](auto&&... x) { return xp::amax(x...); });
  expect("amin", [](auto&&... x) { return xp::amin(x...); });
  expect("all", [](auto&&... x) { return xp::all(x...); });
  expect("any", [](auto&&... x) { return xp::any(x...); });
  expect("count_nonzero", [](auto&&... x) { return xp::count_nonzero(x...); });
  expect("var", [](auto&&... x) { return xp::var(x...); });
  expect("std", [](auto&&... x) { return xp::std(x...); });
  expect("ptp", [](auto&&... x) { return xp::ptp(x...); });
  expect("median", [](auto&&... x) { return xp::median(x...); });
  expect("quantile", [](const Array& x, const auto& axis) {
    return xp::quantile(x, 0.25, axis);
  });
  expect("percentile", [](const Array& x, const auto& axis) {
    return xp::percentile(x, 25, axis);
  });
  expect("reduce", [](const Array& x, const auto& axis) {
    const auto add = [](double b, double c) { return b + c; };
    return xp::reduce(add, 0.0, x, axis);
  });
}

TEST(AxisSpellingTest, ReductionsTakeAListInBraces) {
  const Array a = sample();
  EXPECT_THAT(xp::mean(a, {0, 2}), IsArray(xp::mean(a, {.axis = {0, 2}})));
  EXPECT_THAT(xp::all(a, {0, 2}), IsArray(xp::all(a, {.axis = {0, 2}})));
  EXPECT_THAT(xp::var(a, {0, 2}), IsArray(xp::var(a, {.axis = {0, 2}})));
  EXPECT_THAT(xp::median(a, {0, 2}), IsArray(xp::median(a, {.axis = {0, 2}})));
  EXPECT_THAT(xp::quantile(a, 0.5, {0, 2}),
              IsArray(xp::quantile(a, 0.5, {.axis = {0, 2}})));
  EXPECT_THAT(xp::flip(a, {0, 2}), IsArray(xp::flip(a, {.axis = {0, 2}})));
  EXPECT_THAT(xp::roll(a, {1, 2}, {0, 1}),
              IsArray(xp::roll(a, {1, 2}, {.axis = {0, 1}})));
  EXPECT_THAT(xp::roll(a, 1, {0, 1}), IsArray(xp::roll(a, {1, 1}, {0, 1})));
}

TEST(AxisSpellingTest, FunctionsOfOneAxisTakeItByPositionAndByName) {
  const Array a = sample();
  const Array i = xp::array({0, 2});
  const Array order = xp::argsort(a, 1);
  EXPECT_THAT(xp::argmax(a, {.axis = 1}), IsArray(xp::argmax(a, 1)));
  EXPECT_THAT(xp::argmin(a, {.axis = 1}), IsArray(xp::argmin(a, 1)));
  EXPECT_THAT(xp::average(a, {.axis = 1}), IsArray(xp::average(a, 1)));
  EXPECT_THAT(xp::cumsum(a, {.axis = 1}), IsArray(xp::cumsum(a, 1)));
  EXPECT_THAT(xp::cumprod(a, {.axis = 1}), IsArray(xp::cumprod(a, 1)));
  EXPECT_THAT(xp::sort(a, {.axis = 1}), IsArray(xp::sort(a, 1)));
  EXPECT_THAT(xp::argsort(a, {.axis = 1}), IsArray(order));
  EXPECT_THAT(xp::partition(a, 1, {.axis = 1}),
              IsArray(xp::partition(a, 1, 1)));
  EXPECT_THAT(xp::argpartition(a, 1, {.axis = 1}),
              IsArray(xp::argpartition(a, 1, 1)));
  EXPECT_THAT(xp::take(a, i, {.axis = 1}), IsArray(xp::take(a, i, 1)));
  EXPECT_THAT(xp::take_along_axis(a, order, {.axis = 1}),
              IsArray(xp::take_along_axis(a, order, 1)));
  EXPECT_THAT(xp::compress(i, a, {.axis = 1}), IsArray(xp::compress(i, a, 1)));
  EXPECT_THAT(xp::concatenate({a, a}, {.axis = 1}),
              IsArray(xp::concatenate({a, a}, 1)));
  EXPECT_THAT(xp::stack({a, a}, {.axis = 1}), IsArray(xp::stack({a, a}, 1)));
  EXPECT_THAT(xp::append(a, a, {.axis = 1}), IsArray(xp::append(a, a, 1)));
  EXPECT_THAT(xp::repeat(a, 2, {.axis = 1}), IsArray(xp::repeat(a, 2, 1)));
  EXPECT_THAT(xp::repeat(a, {1, 0, 2}, {.axis = 1}),
              IsArray(xp::repeat(a, {1, 0, 2}, 1)));
  EXPECT_THAT(xp::delete_(a, {1}, {.axis = 1}),
              IsArray(xp::delete_(a, {1}, 1)));
  EXPECT_THAT(xp::insert(a, {1}, 5, {.axis = 1}),
              IsArray(xp::insert(a, {1}, 5, 1)));
  EXPECT_THAT(xp::diff(a, {.axis = 1}), IsArray(xp::diff(a, 1, 1)));
  EXPECT_THAT(xp::diff(a, {.n = 2, .axis = 1}), IsArray(xp::diff(a, 2, 1)));
  EXPECT_THAT(xp::flip(a, {.axis = 1}), IsArray(xp::flip(a, 1)));
  EXPECT_THAT(xp::roll(a, 1, {.axis = 1}), IsArray(xp::roll(a, 1, 1)));
  EXPECT_THAT(a.expand_dims({.axis = 1}), IsArray(a.expand_dims(1)));
  const Array one = a.expand_dims(1);
  EXPECT_THAT(one.squeeze({.axis = 1}), IsArray(one.squeeze(1)));
  EXPECT_THAT(one.squeeze({1}), IsArray(a));
  EXPECT_THAT(one.squeeze(Axes()), IsArray(one));
}

TEST(AxisSpellingTest, SplitTakesItByPositionAndByName) {
  const Array a = sample();
  const auto is = [](const std::vector<Array>& parts) {
    return ElementsAre(IsArray(parts[0]), IsArray(parts[1]), IsArray(parts[2]));
  };
  EXPECT_THAT(xp::split(a, 3, {.axis = 1}), is(xp::split(a, 3, 1)));
  EXPECT_THAT(xp::split(a, {1, 2}, {.axis = 1}), is(xp::split(a, {1, 2}, 1)));
  EXPECT_THAT(xp::array_split(a, 3, {.axis = 2}), is(xp::array_split(a, 3, 2)));
  EXPECT_THAT(xp::array_split(a, {1, 2}, {.axis = 1}),
              is(xp::array_split(a, {1, 2}, 1)));
}

TEST(AxisSpellingTest, WithoutAnAxisArraysAreFlattened) {
  const Array a = sample();
  EXPECT_THAT(xp::sort(a, std::nullopt), IsArray(xp::sort(a.ravel())));
  EXPECT_THAT(xp::sort(a, {.axis = std::nullopt}),
              IsArray(xp::sort(a.ravel())));
  EXPECT_THAT(xp::concatenate({a, a}, {.axis = std::nullopt}),
              IsArray(xp::concatenate({a.ravel(), a.ravel()})));
}

}  // namespace
