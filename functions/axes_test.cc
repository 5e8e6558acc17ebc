#include "catena/functions/axes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "catena/array/creation.h"
#include "catena/autograd/variable.h"
#include "catena/functions/functions.h"
#include "catena/tests/testing/array_matchers.h"

namespace {

using namespace catena;  // as a program may
namespace F = catena::functions;
using catena::testing::IsArray;

Variable sample() {
  return Variable(array::array({{{3.0f, 1.0f}, {2.0f, 5.0f}, {4.0f, 0.5f}},
                                {{9.0f, 7.0f}, {8.0f, 6.0f}, {1.0f, 2.0f}}}));
}

// A variable with the data of another.
MATCHER_P(Is, expected, "") {
  return ::testing::ExplainMatchResult(IsArray(expected.data()), arg.data(),
                                       result_listener);
}

// Whether a function takes an argument as its axis.
template <class T>
concept SumTakes = requires(const Variable& x, T axis) {
  F::sum(x, axis);
};
template <class T>
concept SoftmaxTakes = requires(const Variable& x, T axis) {
  F::softmax(x, axis);
};
template <class T>
concept CumsumTakes = requires(const Variable& x, T axis) {
  F::cumsum(x, axis);
};

static_assert(SumTakes<int> && SumTakes<int64_t> && SumTakes<Axes> &&
              SumTakes<std::nullopt_t> && SumTakes<F::SumOptions>);
static_assert(SoftmaxTakes<int> && CumsumTakes<int> &&
              CumsumTakes<std::optional<int64_t>>);
static_assert(!SumTakes<bool> && !SumTakes<double>);
static_assert(!SoftmaxTakes<bool> && !SoftmaxTakes<double> &&
              !SoftmaxTakes<Axes>);
static_assert(!CumsumTakes<bool> && !CumsumTakes<double>);

TEST(AxisSpellingTest, ReductionsHaveEveryOne) {
  const Variable x = sample();
  const auto expect = [&](const char* name, const auto& f, const auto& named) {
    SCOPED_TRACE(name);
    const Variable one = named(AxisSet(1));
    EXPECT_EQ(one.shape(), Shape({2, 2}));
    EXPECT_THAT(f(x, 1), Is(one));
    EXPECT_THAT(f(x, -2), Is(one));
    const Variable two = named(AxisSet{0, 2});
    EXPECT_EQ(two.shape(), Shape({3}));
    EXPECT_THAT(f(x, Axes{0, 2}), Is(two));
    EXPECT_THAT(f(x, AxisSet{-1, 0}), Is(two));
    const Variable all = named(AxisSet());
    EXPECT_EQ(all.shape(), Shape());
    EXPECT_THAT(f(x), Is(all));
    EXPECT_THAT(f(x, std::nullopt), Is(all));
  };
  expect(
      "sum", [](auto&&... a) { return F::sum(a...); },
      [&](const AxisSet& axis) { return F::sum(x, {.axis = axis}); });
  expect(
      "prod", [](auto&&... a) { return F::prod(a...); },
      [&](const AxisSet& axis) { return F::prod(x, {.axis = axis}); });
  expect(
      "max", [](auto&&... a) { return F::max(a...); },
      [&](const AxisSet& axis) { return F::max(x, {.axis = axis}); });
  expect(
      "min", [](auto&&... a) { return F::min(a...); },
      [&](const AxisSet& axis) { return F::min(x, {.axis = axis}); });
  expect(
      "average", [](auto&&... a) { return F::average(a...); },
      [&](const AxisSet& axis) { return F::average(x, {.axis = axis}); });
  expect(
      "mean", [](auto&&... a) { return F::mean(a...); },
      [&](const AxisSet& axis) { return F::mean(x, {.axis = axis}); });
  expect(
      "logsumexp", [](auto&&... a) { return F::logsumexp(a...); },
      [&](const AxisSet& axis) { return F::logsumexp(x, {.axis = axis}); });
}

TEST(AxisSpellingTest, ReductionsTakeAListInBraces) {
  const Variable x = sample();
  const Variable sums = F::sum(x, Axes{0, 2});
  EXPECT_THAT(F::sum(x, {0, 2}), Is(sums));
  EXPECT_THAT(F::sum(x, {.axis = {0, 2}}), Is(sums));
  EXPECT_EQ(F::sum(x, {.axis = {0, 2}, .keepdims = true}).shape(),
            Shape({1, 3, 1}));
  EXPECT_THAT(F::sum(x, {1}), Is(F::sum(x, 1)));
  EXPECT_THAT(F::sum(x, Axes()), Is(x));
  EXPECT_THAT(F::max(x, {0, 2}), Is(F::max(x, Axes{0, 2})));
  EXPECT_THAT(F::mean(x, {0, 2}), Is(F::mean(x, Axes{0, 2})));
  EXPECT_THAT(F::logsumexp(x, {0, 2}), Is(F::logsumexp(x, Axes{0, 2})));
  EXPECT_THAT(F::normalize(x, {.axis = {0, 2}}),
              Is(F::normalize(x, {.axis = Axes{0, 2}})));
}

TEST(AxisSpellingTest, FunctionsOfOneAxisTakeItByPositionAndByName) {
  const Variable x = sample();
  const Array i = array::array({2, 0, 1});
  EXPECT_THAT(F::softmax(x, {.axis = 2}), Is(F::softmax(x, 2)));
  EXPECT_THAT(F::softmax(x, {.axis = 1}), Is(F::softmax(x)));
  EXPECT_THAT(F::log_softmax(x, {.axis = 2}), Is(F::log_softmax(x, 2)));
  EXPECT_THAT(F::crelu(x, {.axis = 2}), Is(F::crelu(x, 2)));
  EXPECT_THAT(F::maxout(x, 2, {.axis = 2}), Is(F::maxout(x, 2, 2)));
  EXPECT_THAT(F::argmax(x, {.axis = 1}), Is(F::argmax(x, 1)));
  EXPECT_THAT(F::argmin(x, {.axis = 1}), Is(F::argmin(x, 1)));
  EXPECT_THAT(F::cumsum(x, {.axis = 1}), Is(F::cumsum(x, 1)));
  EXPECT_THAT(F::cumprod(x, {.axis = 1}), Is(F::cumprod(x, 1)));
  EXPECT_THAT(F::concat({x, x}, {.axis = 2}), Is(F::concat({x, x}, 2)));
  EXPECT_THAT(F::concat(std::vector<Variable>{x, x}, {.axis = 2}),
              Is(F::concat({x, x}, 2)));
  EXPECT_THAT(F::stack({x, x}, {.axis = 2}), Is(F::stack({x, x}, 2)));
  EXPECT_THAT(F::expand_dims(x, {.axis = 1}), Is(F::expand_dims(x, 1)));
  EXPECT_THAT(F::flip(x, {.axis = 1}), Is(F::flip(x, 1)));
  EXPECT_THAT(F::repeat(x, 2, {.axis = 1}), Is(F::repeat(x, 2, 1)));
  EXPECT_THAT(F::repeat(x, {1, 0, 2}, {.axis = 1}),
              Is(F::repeat(x, {1, 0, 2}, 1)));
  EXPECT_THAT(F::get_item(x, i, {.axis = 1}), Is(F::get_item(x, i, 1)));
  EXPECT_THAT(F::permutate(x, i, {.axis = 1}), Is(F::permutate(x, i, 1)));
  EXPECT_THAT(F::permutate(x, Variable(i), 1), Is(F::permutate(x, i, 1)));
  const Variable y = F::sum(x, {0, 2});
  EXPECT_THAT(F::scale(x, y, {.axis = 1}), Is(F::scale(x, y, 1)));
  EXPECT_THAT(F::bias(x, y, {.axis = 1}), Is(F::bias(x, y, 1)));
  const Variable one = F::expand_dims(x, 1);
  EXPECT_THAT(F::squeeze(one, {.axis = 1}), Is(x));
  EXPECT_THAT(F::squeeze(one, 1), Is(x));
  EXPECT_THAT(F::squeeze(one, {1}), Is(x));
  EXPECT_THAT(F::squeeze(one), Is(x));
  EXPECT_THAT(F::squeeze(one, Axes()), Is(one));
}

TEST(AxisSpellingTest, FunctionsOfPartsTakeItByPositionAndByName) {
  const Variable x = sample();
  const auto expect = [](const Variables& parts, const Variables& expected) {
    ASSERT_EQ(parts.size(), 3);
    for (size_t i = 0; i < 3; ++i) EXPECT_THAT(parts[i], Is(expected[i]));
  };
  expect(F::separate(x, {.axis = 1}), F::separate(x, 1));
  expect(F::split_axis(x, 3, {.axis = 1}), F::split_axis(x, 3, 1));
  expect(F::split_axis(x, {1, 2}, {.axis = 1}), F::split_axis(x, {1, 2}, 1));
}

}  // namespace
