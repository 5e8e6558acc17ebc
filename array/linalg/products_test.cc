#include "catena/array/linalg/products.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "catena/array/array.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/linalg/matmul.h"
#include "catena/array/manipulation/diagonal.h"
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

class ProductsGolden : public testing::GoldenDeviceTest {};

bool is_named_product(const testing::GoldenCase& golden) {
  const std::string op = golden.attr<std::string>("op");
  return op == "inner" || op == "outer" || op == "kron" || op == "vdot" ||
         op == "tensordot" || op == "trace";
}

TEST_P(ProductsGolden, AgreesWithNumPy) {
  const std::string op = golden().attr<std::string>("op");
  const Array a = array("in0");
  if (op == "trace") {
    EXPECT_THAT(trace(a), golden().is_close("out0"));
    return;
  }
  const Array b = array("in1");
  Array y;
  if (op == "tensordot") {
    const Array axes = golden().attr<Array>("axes").astype(Dtype::kInt64);
    if (axes.ndim() == 0) {
      y = tensordot(a, b, axes.item<int64_t>());
    } else {
      const auto* pairs = axes.data<int64_t>();
      y = tensordot(a, b, Axes{pairs[0], pairs[1]}, Axes{pairs[2], pairs[3]});
    }
  } else {
    y = op == "inner"   ? inner(a, b)
        : op == "outer" ? outer(a, b)
        : op == "kron"  ? kron(a, b)
                        : vdot(a, b);
  }
  EXPECT_THAT(y, golden().is_close("out0"));
}

INSTANTIATE_TEST_SUITE_P(All, ProductsGolden,
                         testing::every_device_and_case("array/linalg",
                                                        is_named_product),
                         testing::golden_device_name);

class ProductsTest : public testing::DeviceTest {};

// 0, 1, ..., and the same again after 7.
Array numbers(const Shape& shape, Dtype dtype = Dtype::kFloat64) {
  return remainder(arange(size_of(shape)), 7).reshape(shape).astype(dtype);
}

TEST_P(ProductsTest, TensordotSumsOverNamedAxesInAnyLayout) {
  const Array a = numbers({3, 4, 5});
  const Array b = numbers({4, 2, 3});
  // Moved to the last axes of a and the first of b, it is a matrix product.
  const Array expected = matmul(a.transpose({2, 0, 1}).reshape({5, 12}),
                                b.transpose({2, 0, 1}).reshape({12, 2}));
  EXPECT_THAT(tensordot(a, b, {0, 1}, {2, 0}), IsArray(expected));
  EXPECT_THAT(tensordot(a, b, {1, 0}, {0, 2}), IsArray(expected));
  EXPECT_THAT(tensordot(a, b, {-3, -2}, {-1, -3}), IsArray(expected));
  EXPECT_THAT(tensordot(b, a, {2, 0}, {0, 1}), IsArray(expected.T()));
  const Array fortran = a.T().copy().T();
  EXPECT_THAT(tensordot(fortran, b, {0, 1}, {2, 0}), IsArray(expected));
  const Array backward = a[{Slice({}, {}, -1)}].copy()[{Slice({}, {}, -1)}];
  EXPECT_THAT(tensordot(backward, b, {0, 1}, {2, 0}), IsArray(expected));
}

TEST_P(ProductsTest, TensordotOfNoAxesIsEveryProduct) {
  const Array a = numbers({2, 3});
  const Array b = numbers({4});
  EXPECT_THAT(tensordot(a, b, 0), IsArray(multiply(a.reshape({2, 3, 1}), b)));
  EXPECT_THAT(tensordot(a, a), IsArray(sum(square(a))));
}

TEST_P(ProductsTest, WriteToTheirOutput) {
  const Array a = arange(6).reshape({2, 3});
  const Array b = arange(3);
  const Array products = zeros({6, 3}, Dtype::kFloat32);
  EXPECT_TRUE(outer(a, b, {.out = products}).is_same(products));
  EXPECT_THAT(products, IsArray(outer(a, b).astype(Dtype::kFloat32)));
  const Array sums = zeros({2}, Dtype::kInt64);
  EXPECT_TRUE(tensordot(a, b, 1, {.out = sums}).is_same(sums));
  EXPECT_THAT(sums, IsArray(array({5, 14})));
  const Array square = array({{1, 2}, {3, 4}});
  tensordot(square, square, {1}, {0}, {.out = square});
  EXPECT_THAT(square, IsArray(array({{7, 10}, {15, 22}})));
  const Array row = array({1, 2});
  outer(row, row, {.out = square});
  outer(square[0], square[1], {.out = square.T()});
  EXPECT_THAT(square, IsArray(array({{2, 4}, {4, 8}})));
}

TEST_P(ProductsTest, OutputsThatDoNotFitAreRefused) {
  const Array a = arange(3);
  EXPECT_THAT(error_of<ShapeError>([&] {
                outer(a, a, {.out = zeros({2, 3, 3})});
              }),
              "outer: expected an output of shape (3, 3), got (2, 3, 3)");
  EXPECT_THAT(
      error_of<ShapeError>([&] { tensordot(a, a, 1, {.out = zeros({1})}); }),
      "tensordot: expected an output of shape (), got (1,)");
  EXPECT_THAT(error_of<DtypeError>([&] {
                tensordot(zeros({3}), a, 1, {.out = zeros({}, Dtype::kInt64)});
              }),
              "tensordot: cannot store float64 results in an array of int64");
}

TEST_P(ProductsTest, NothingToSumGivesZeros) {
  EXPECT_THAT(tensordot(zeros({2, 0}), zeros({0, 3}), 1),
              IsArray(zeros({2, 3})));
  EXPECT_THAT(vdot(zeros({0}), zeros({0})), IsArray(zeros({})));
  EXPECT_THAT(inner(zeros({2, 0}), zeros({3, 0})), IsArray(zeros({2, 3})));
  EXPECT_EQ(outer(zeros({0}), zeros({3})).shape(), Shape({0, 3}));
  EXPECT_EQ(kron(zeros({0, 2}), zeros({3})).shape(), Shape({0, 6}));
}

TEST_P(ProductsTest, OperandsArePromoted) {
  const Array a = numbers({3}, Dtype::kInt32);
  EXPECT_THAT(inner(a, a.astype(Dtype::kFloat32)), IsArray(array(5.0)));
  EXPECT_THAT(vdot(a, a.astype(Dtype::kInt8)),
              IsArray(full({}, 5, Dtype::kInt32)));
  EXPECT_EQ(tensordot(a, numbers({3}, Dtype::kBool), 0).dtype(), Dtype::kInt32);
  EXPECT_THAT(inner(array(2.0), a), IsArray(array({0.0, 2.0, 4.0})));
}

TEST_P(ProductsTest, KronFillsShapesUpInFront) {
  EXPECT_THAT(kron(array({{1, 2}, {3, 4}}), array({1, 10})),
              IsArray(array({{1, 10, 2, 20}, {3, 30, 4, 40}})));
  EXPECT_THAT(kron(array({1, 10}), array({{1, 2}, {3, 4}})),
              IsArray(array({{1, 2, 10, 20}, {3, 4, 30, 40}})));
  EXPECT_THAT(kron(array(2), array(3)), IsArray(array(6)));
}

// numpy 1.24: np.cross
TEST_P(ProductsTest, CrossIsOrthogonalToBoth) {
  const Array a = array({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
  const Array b = array({7.0, -8.0, 9.0});
  const Array c = cross(a, b);
  EXPECT_THAT(c, IsArray(array({{42.0, 12.0, -22.0}, {93.0, 6.0, -67.0}})));
  EXPECT_THAT(sum(multiply(c, a), {.axis = 1}), IsArray(zeros({2})));
  EXPECT_THAT(sum(multiply(c, b), {.axis = 1}), IsArray(zeros({2})));
  EXPECT_THAT(cross(a.T(), b, {.axisa = 0}), IsArray(c));
  EXPECT_THAT(cross(a.T(), b, {.axisa = 0, .axisc = 0}).copy(),
              IsArray(c.T().copy()));
  EXPECT_THAT(cross(a.T(), a.T(), {.axis = 0}), IsArray(zeros({3, 2})));
}

TEST_P(ProductsTest, CrossOfPlanarVectors) {
  const Array p = array({1.0, 2.0});
  const Array q = array({3.0, 4.0});
  const Array v = array({3.0, 4.0, 5.0});
  EXPECT_THAT(cross(p, q), IsArray(array(-2.0)));
  EXPECT_THAT(cross(p, v), IsArray(array({10.0, -5.0, -2.0})));
  EXPECT_THAT(cross(v, p), IsArray(array({-10.0, 5.0, 2.0})));
}

TEST_P(ProductsTest, MultiDotIsTheProductInAnyBrackets) {
  const Array a = numbers({10, 2});
  const Array b = numbers({2, 30});
  const Array c = numbers({30, 4});
  const Array d = numbers({4, 5});
  const Array expected = matmul(matmul(matmul(a, b), c), d);
  EXPECT_THAT(linalg::multi_dot({a, b, c, d}), IsArray(expected));
  EXPECT_THAT(linalg::multi_dot({a, b}), IsArray(matmul(a, b)));
  const Array row = numbers({10});
  const Array column = numbers({5});
  EXPECT_THAT(linalg::multi_dot({row, a, b, c, d, column}),
              IsArray(dot(dot(row, expected), column)));
  EXPECT_THAT(linalg::multi_dot({row, a}), IsArray(dot(row, a)));
}

TEST_P(ProductsTest, WhatDoesNotMatchIsRefused) {
  const Array a = zeros({2, 3});
  EXPECT_THAT(error_of<ShapeError>([&] { vdot(a, zeros({5})); }),
              "vdot: expected as many elements in a "
              "as in b, got shapes (2, 3) and (5,)");
  EXPECT_THAT(error_of<ShapeError>([&] {
                inner(a, zeros({3, 2}));
              }),
              "inner: expected equal extents along axis 1 of a and axis 1 "
              "of b, got shapes (2, 3) and (3, 2)");
  EXPECT_THAT(error_of<ShapeError>([&] { tensordot(a, a, {0}, {1}); }),
              HasSubstr("axis 0 of a and axis 1"));
  EXPECT_THAT(error_of<ValueError>([&] {
                tensordot(a, a, {0, 1}, {0});
              }),
              HasSubstr("got (0, 1) and (0,)"));
  EXPECT_THAT(error_of<ValueError>([&] {
                tensordot(a, a, {0, -2}, {0, 1});
              }),
              HasSubstr("distinct axes"));
  EXPECT_THAT(error_of<IndexError>([&] { tensordot(a, a, {2}, {0}); }),
              HasSubstr("tensordot"));
  EXPECT_THAT(error_of<ShapeError>([&] { tensordot(a, a, 3); }),
              HasSubstr("at least 3 axes"));
  EXPECT_THAT(error_of<ValueError>([&] { tensordot(a, a, -1); }),
              HasSubstr("got -1"));
  EXPECT_THAT(error_of<ShapeError>([] {
                kron(zeros({1, 1, 1, 1, 1}), zeros({2}));
              }),
              HasSubstr("kron: expected at most 4"));
  EXPECT_THAT(error_of<ShapeError>([] { cross(zeros({4}), zeros({3})); }),
              "cross: expected vectors of 2 or 3 components, got shape "
              "(4,) with 4 along axis 0");
  EXPECT_THAT(error_of<ShapeError>([&] {
                linalg::multi_dot({a, a});
              }),
              HasSubstr("for array 1 after (2, 3)"));
  EXPECT_THAT(error_of<ValueError>([&] { linalg::multi_dot({a}); }),
              HasSubstr("multi_dot"));
}

INSTANTIATE_TEST_SUITE_P(All, ProductsTest, testing::every_device(),
                         testing::device_name);

TEST(ProductsDeviceTest, OperandsMustBeOnOneDevice) {
  const Array a = zeros({3});
  const Array b = zeros({3}, Dtype::kFloat64, native_device(1));
  EXPECT_THAT(error_of<DeviceError>([&] { vdot(a, b); }), HasSubstr("vdot"));
  EXPECT_THAT(error_of<DeviceError>([&] { cross(a, b); }), HasSubstr("cross"));
}

}  // namespace
}  // namespace catena::array
