#include "catena/array/manipulation/diagonal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/indexing/testing/index_reference.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

namespace xp = catena::array;
using ::catena::testing::error_of;
using catena::testing::integers_of;
using catena::testing::IsArray;
using ::testing::ElementsAreArray;

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

class DiagonalTest : public catena::testing::DeviceTest {};

TEST_P(DiagonalTest, ADiagonalIsAWritableView) {
  const Array a = xp::zeros({2, 3}, Dtype::kInt64);
  xp::diagonal(a, 1).fill(5);
  xp::diagonal(a, -1).fill(6);
  EXPECT_THAT(a, IsArray(xp::array({{0, 5, 0}, {6, 0, 5}})));
}

TEST_P(DiagonalTest, RandomDiagonalsHaveTheElementsOfTheirOffset) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 500; ++i) {
    const Shape shape = catena::testing::random_shape(random);
    if (shape.ndim() < 2) continue;
    const Array a = catena::testing::random_layout(shape, random);
    const int first = static_cast<int>(random() % shape.ndim());
    const int second =
        (first + 1 + static_cast<int>(random() % (shape.ndim() - 1))) %
        shape.ndim();
    const int64_t offset = static_cast<int64_t>(random() % 9) - 4;
    // Elements by the indices along all axes but two, then along the first.
    std::vector<int64_t> expected;
    Shape others;
    for (int k = 0; k < shape.ndim(); ++k) {
      if (k != first && k != second) others.push_back(shape[k]);
    }
    int64_t length = 0;
    for (int64_t place = 0; place < size_of(others); ++place) {
      length = 0;
      for (int64_t row = 0; row < shape[first]; ++row) {
        const int64_t column = row + offset;
        if (column < 0 || column >= shape[second]) continue;
        std::vector<int64_t> at(shape.ndim());
        int64_t rest = place;
        for (int k = shape.ndim() - 1, o = others.ndim() - 1; k >= 0; --k) {
          if (k == first || k == second) continue;
          at[k] = rest % others[o];
          rest /= others[o--];
        }
        at[first] = row;
        at[second] = column;
        int64_t position = 0;
        for (int k = 0; k < shape.ndim(); ++k) {
          position = position * shape[k] + at[k];
        }
        expected.push_back(position);
        ++length;
      }
    }
    const Array found = xp::diagonal(a, offset, first, second - shape.ndim());
    ASSERT_THAT(integers_of(found), ElementsAreArray(expected))
        << shape << " " << offset << " " << first << " " << second;
    if (size_of(others) > 0) {
      ASSERT_EQ(found.shape().back(), length);
    }
    const Array traces =
        xp::trace(a, {.offset = offset, .axis1 = first, .axis2 = second});
    ASSERT_EQ(traces.shape(), others);
    for (int64_t place = 0; place < traces.size(); ++place) {
      int64_t sum = 0;
      for (int64_t k = 0; k < length; ++k) sum += expected[place * length + k];
      ASSERT_EQ(integers_of(traces)[place], sum);
    }
  }
}

TEST_P(DiagonalTest, TraceHasTheDtypesOfSum) {
  const Array a = xp::array({{100, 1}, {2, 100}}, Dtype::kInt8);
  EXPECT_THAT(xp::trace(a), IsArray(xp::array(200)));
  EXPECT_THAT(xp::trace(a, {.dtype = Dtype::kFloat32}),
              IsArray(xp::array(200, Dtype::kFloat32)));
}

TEST_P(DiagonalTest, DiagTakesAndMakesDiagonals) {
  const Array a = xp::arange(6).reshape({2, 3});
  EXPECT_THAT(xp::diag(a, 1), IsArray(xp::array({1, 5})));
  EXPECT_THAT(xp::diag(xp::array({7, 8}), -1),
              IsArray(xp::array({{0, 0, 0}, {7, 0, 0}, {0, 8, 0}})));
  EXPECT_THAT(xp::diagflat(xp::array({{1, 2}}), 1),
              IsArray(xp::array({{0, 1, 0}, {0, 0, 2}, {0, 0, 0}})));
  EXPECT_EQ(xp::diag(xp::zeros({0})).shape(), Shape({0, 0}));
  EXPECT_EQ(xp::diag(a, kMax).shape(), Shape({0}));
  EXPECT_EQ(xp::diag(a, kMin).shape(), Shape({0}));
  EXPECT_THROW(xp::diagflat(a, kMax), ShapeError);
  EXPECT_THROW(xp::diagflat(a, kMin), ShapeError);
}

TEST_P(DiagonalTest, DiagOfAMatrixIsAWritableView) {
  const Array a = xp::zeros({2, 3}, Dtype::kInt64);
  xp::diag(a, 1).assign(xp::array({7, 8}));
  EXPECT_THAT(a, IsArray(xp::array({{0, 7, 0}, {0, 0, 8}})));
  const Array v = xp::array({1, 2});
  EXPECT_NE(xp::diag(v).storage(), v.storage());
}

TEST_P(DiagonalTest, TraceWritesToItsOutput) {
  const Array a = xp::arange(8).reshape({2, 2, 2});
  const Array out = xp::zeros({2}, Dtype::kFloat32);
  EXPECT_TRUE(xp::trace(a, {.out = out}).is_same(out));
  EXPECT_THAT(out, IsArray(xp::array({6.0f, 8.0f})));
  xp::trace(a, {.out = a[0][0]});  // part of the input
  EXPECT_THAT(a[0][0], IsArray(xp::array({6, 8})));
  EXPECT_THAT(
      error_of<ShapeError>([&] { xp::trace(a, {.out = xp::zeros({3})}); }),
      "trace: expected an output of shape "
      "(2,), got (3,)");
}

TEST_P(DiagonalTest, FillDiagonalReachesEveryAxis) {
  const Array cube = xp::zeros({2, 2, 2}, Dtype::kInt64);
  xp::fill_diagonal(cube, 3);
  EXPECT_THAT(cube, IsArray(xp::array({{{3, 0}, {0, 0}}, {{0, 0}, {0, 3}}})));
  const Array wide = xp::zeros({2, 3}, Dtype::kInt64);
  xp::fill_diagonal(wide.T(), xp::array({1, 2}));
  EXPECT_THAT(wide, IsArray(xp::array({{1, 0, 0}, {0, 2, 0}})));
}

TEST_P(DiagonalTest, FillDiagonalWrapsWhenAsked) {
  const Array tall = xp::zeros({5, 2}, Dtype::kInt64);
  xp::fill_diagonal(tall, 4);
  EXPECT_THAT(tall,
              IsArray(xp::array({{4, 0}, {0, 4}, {0, 0}, {0, 0}, {0, 0}})));
  xp::fill_diagonal(tall, xp::array({1, 2, 3}), {.wrap = true});
  EXPECT_THAT(tall,
              IsArray(xp::array({{1, 0}, {0, 2}, {0, 0}, {3, 0}, {0, 1}})));
}

TEST_P(DiagonalTest, TrianglesKeepTheDtype) {
  const Array a = xp::ones({2, 3}, Dtype::kBool);
  EXPECT_THAT(xp::tril(a),
              IsArray(xp::array({{true, false, false}, {true, true, false}})));
  EXPECT_THAT(xp::triu(a, 1),
              IsArray(xp::array({{false, true, true}, {false, false, true}})));
  EXPECT_THAT(xp::triu(xp::array({1, 2})),
              IsArray(xp::array({{1, 2}, {0, 2}})));
  EXPECT_THAT(xp::tri(2, 3, {.k = 1, .dtype = Dtype::kInt8}),
              IsArray(xp::array({{1, 1, 0}, {1, 1, 1}}, Dtype::kInt8)));
  EXPECT_EQ(xp::tril(xp::zeros({4, 0, 3})).shape(), Shape({4, 0, 3}));
}

TEST_P(DiagonalTest, WhatHasNoDiagonalIsRefused) {
  EXPECT_THAT(error_of<ShapeError>([] { xp::diagonal(xp::zeros({3})); }),
              "diagonal: expected an array with at "
              "least two axes, got shape (3,)");
  EXPECT_THROW(xp::diagonal(xp::zeros({2, 2}), 0, 0, 2), IndexError);
  EXPECT_THROW(xp::trace(xp::zeros({2, 2}), {.axis1 = 1}), ValueError);
  EXPECT_THROW(xp::diag(xp::zeros({1, 1, 1})), ShapeError);
  EXPECT_THROW(xp::fill_diagonal(xp::zeros({2, 3, 2}), 1), ShapeError);
  EXPECT_THROW(xp::fill_diagonal(xp::zeros({2, 2}), xp::zeros({0})),
               ValueError);
  EXPECT_THROW(xp::tril(xp::array(1)), ShapeError);
  EXPECT_THROW(xp::tri(-1), ShapeError);
}

INSTANTIATE_TEST_SUITE_P(All, DiagonalTest, catena::testing::every_device(),
                         catena::testing::device_name);

}  // namespace
}  // namespace catena
