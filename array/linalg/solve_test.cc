#include "catena/array/linalg/solve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "catena/array/array.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/linalg/linalg_error.h"
#include "catena/array/linalg/matmul.h"
#include "catena/array/linalg/products.h"
#include "catena/array/random/random.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/tests/support/golden_device_test.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"

namespace catena::array::linalg {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;
using testing::IsArray;
using testing::IsClose;

class SolveGolden : public testing::GoldenDeviceTest {};

bool is_solver(const testing::GoldenCase& golden) {
  const std::string op = golden.attr<std::string>("op");
  return op == "linalg.inv" || op == "linalg.det" || op == "linalg.solve";
}

TEST_P(SolveGolden, AgreesWithNumPy) {
  const std::string op = golden().attr<std::string>("op");
  const Array a = array("in0");
  const Array y = op == "linalg.inv"   ? inv(a)
                  : op == "linalg.det" ? det(a)
                                       : solve(a, array("in1"));
  EXPECT_THAT(y, golden().is_close("out0"));
}

INSTANTIATE_TEST_SUITE_P(All, SolveGolden,
                         testing::every_device_and_case("array/linalg",
                                                        is_solver),
                         testing::golden_device_name);

class SolveTest : public testing::DeviceDtypeTest {
 protected:
  Array numbers(const Shape& shape) {
    random::seed(11);
    return random::normal(0, 1, shape, dtype());
  }
  // Far from singular.
  Array matrices(const Shape& shape) {
    return add(numbers(shape), multiply(identity(shape.back(), dtype()),
                                        static_cast<double>(shape.back())));
  }
  Array numbered(std::initializer_list<double> values, const Shape& shape) {
    return array(std::vector<double>(values), shape).astype(dtype());
  }
  void expect_close(const Array& actual, const Array& expected) {
    EXPECT_THAT(actual.copy(), IsClose(expected.copy(),
                                       dtype() == Dtype::kFloat32
                                           ? testing::Tolerance{1e-4, 1e-4}
                                           : testing::Tolerance{1e-10, 1e-10}));
  }
};

TEST_P(SolveTest, TheSolutionSolves) {
  for (const Shape& shape : {Shape{1, 1}, Shape{5, 5}, Shape{2, 3, 4, 4},
                             Shape{150, 150}, Shape{40, 12, 12}}) {
    SCOPED_TRACE(to_string(shape));
    const Array a = matrices(shape);
    Shape right = shape;
    right.back() = 3;
    const Array b = numbers(right);
    const Array x = solve(a, b);
    EXPECT_TRUE(x.is_contiguous());
    expect_close(matmul(a, x), b);
    const Array column = b[{ellipsis, 0}];
    expect_close(solve(a, column), x[{ellipsis, 0}]);
  }
}

TEST_P(SolveTest, LeadingAxesBroadcast) {
  const Array a = matrices({4, 4});
  const Array b = numbers({2, 3, 4, 2});
  expect_close(matmul(a, solve(a, b)), b);
  const Array stack = matrices({3, 1, 4, 4});
  const Array one = numbers({4, 2});
  const Array x = solve(stack, one);
  EXPECT_EQ(x.shape(), Shape({3, 1, 4, 2}));
  expect_close(matmul(stack, x), one.broadcast_to({3, 1, 4, 2}));
}

TEST_P(SolveTest, OneMatrixServesAStackOfRightHandSides) {
  const Array a = matrices({5, 5});
  const Array b = numbers({3, 2, 5, 4});
  const Array x = solve(a, b);
  EXPECT_TRUE(x.is_contiguous());
  for (int64_t i = 0; i < 3; ++i) {
    for (int64_t j = 0; j < 2; ++j) {
      expect_close(x[{i, j}], solve(a, b[{i, j}]));
    }
  }
  EXPECT_EQ(solve(a, zeros({0, 5, 4}, dtype())).shape(), Shape({0, 5, 4}));
  EXPECT_EQ(solve(zeros({0, 0}, dtype()), zeros({3, 0, 4}, dtype())).shape(),
            Shape({3, 0, 4}));
}

TEST_P(SolveTest, InverseTimesMatrixIsTheIdentity) {
  for (const Shape& shape :
       {Shape{1, 1}, Shape{5, 5}, Shape{2, 3, 4, 4}, Shape{150, 150}}) {
    SCOPED_TRACE(to_string(shape));
    const Array a = matrices(shape);
    const Array eye = identity(shape.back(), dtype()).broadcast_to(shape);
    expect_close(matmul(inv(a), a), eye);
    const Array view = a[{ellipsis, Slice({}, {}, -1)}];
    expect_close(matmul(view, inv(view)), eye);
  }
}

TEST_P(SolveTest, DeterminantsFollowTheRowExchanges) {
  // By hand: permutations, a triangle, and one that needs an exchange.
  expect_close(det(numbered({0, 1, 1, 0}, {2, 2})), numbered({-1}, {}));
  expect_close(det(numbered({0, 1, 0, 0, 0, 1, 1, 0, 0}, {3, 3})),
               numbered({1}, {}));
  expect_close(det(numbered({2, 5, 7, 0, 3, 9, 0, 0, -4}, {3, 3})),
               numbered({-24}, {}));
  expect_close(det(numbered({1, 2, 3, 4, 2, 4, 1, 1}, {2, 2, 2})),
               numbered({-2, -2}, {2}));
  expect_close(det(zeros({3, 3}, dtype())), numbered({0}, {}));
  const Array a = matrices({6, 5, 5});
  const auto [sign, logdet] = slogdet(a);
  expect_close(multiply(sign, exp(logdet)), det(a));
}

TEST_P(SolveTest, SlogdetKeepsWhatDetCannotHold) {
  const Array a = multiply(identity(200, dtype()), 1e10);
  const auto [sign, logdet] = slogdet(negative(a));
  EXPECT_THAT(sign, IsArray(numbered({1}, {})));
  expect_close(logdet, numbered({2000 * std::log(10.0)}, {}));
  EXPECT_TRUE(std::isinf(det(a).astype(Dtype::kFloat64).item<double>()) ||
              dtype() == Dtype::kFloat64);
  const auto singular = slogdet(zeros({2, 2}, dtype()));
  EXPECT_THAT(singular.sign, IsArray(numbered({0}, {})));
  EXPECT_THAT(
      singular.logdet,
      IsArray(numbered({-std::numeric_limits<double>::infinity()}, {})));
}

TEST_P(SolveTest, PinvHasItsFourProperties) {
  for (const Shape& shape : {Shape{5, 3}, Shape{3, 5}, Shape{2, 4, 4}}) {
    SCOPED_TRACE(to_string(shape));
    Array a = numbers(shape);
    a[{ellipsis, 0, Slice()}].assign(a[{ellipsis, 1, Slice()}]);  // rank - 1
    const Array p = pinv(a, 1e-5);
    const auto t = [](const Array& x) {
      return x.ndim() == 2 ? x.T() : x.transpose({0, 2, 1});
    };
    expect_close(matmul(matmul(a, p), a), a);
    expect_close(matmul(matmul(p, a), p), p);
    expect_close(t(matmul(a, p)), matmul(a, p));
    expect_close(t(matmul(p, a)), matmul(p, a));
  }
  EXPECT_EQ(pinv(zeros({0, 3}, dtype())).shape(), Shape({3, 0}));
  EXPECT_THAT(pinv(zeros({2, 3}, dtype())), IsArray(zeros({3, 2}, dtype())));
}

TEST_P(SolveTest, LstsqMinimizesTheResidual) {
  const Array a = numbers({20, 4});
  const Array b = numbers({20, 3});
  const auto [x, residuals, rank, s] = lstsq(a, b);
  EXPECT_EQ(rank, 4);
  // What is left is orthogonal to every column of a.
  const Array left = subtract(b, matmul(a, x));
  expect_close(matmul(a.T(), left), zeros({4, 3}, dtype()));
  expect_close(residuals, sum(square(left), {.axis = 0}));
  const LstsqResult vector = lstsq(a, b[{Slice(), 0}]);
  expect_close(vector.x, x[{Slice(), 0}]);
  EXPECT_EQ(vector.residuals.shape(), Shape({1}));
}

TEST_P(SolveTest, LstsqGivesTheShortestSolution) {
  const Array a = numbered({1, 1, 1, 1}, {2, 2});
  const auto [x, residuals, rank, s] = lstsq(a, numbered({2, 2}, {2}));
  EXPECT_EQ(rank, 1);
  EXPECT_EQ(residuals.shape(), Shape({0}));
  expect_close(x, numbered({1, 1}, {2}));
  expect_close(s, numbered({2, 0}, {2}));
  const LstsqResult none = lstsq(zeros({3, 0}, dtype()), ones({3}, dtype()));
  EXPECT_EQ(none.x.shape(), Shape({0}));
}

TEST_P(SolveTest, MatrixPowerIsRepeatedProducts) {
  const Array a = matrices({2, 3, 3});
  EXPECT_THAT(matrix_power(a, 0),
              IsArray(identity(3, dtype()).broadcast_to({2, 3, 3}).copy()));
  EXPECT_THAT(matrix_power(a, 1), IsArray(a));
  EXPECT_FALSE(matrix_power(a, 1).is_same(a));
  const Array cube = matmul(matmul(a, a), a);
  EXPECT_THAT(matrix_power(a, 3), IsClose(cube));
  expect_close(matmul(matrix_power(a, -3), cube),
               identity(3, dtype()).broadcast_to({2, 3, 3}));
}

TEST_P(SolveTest, TensorsolveAndTensorinvSolveTensordot) {
  const Array a = matrices({6, 6}).reshape({2, 3, 3, 2});
  const Array b = numbers({2, 3});
  const Array x = tensorsolve(a, b);
  EXPECT_EQ(x.shape(), Shape({3, 2}));
  expect_close(tensordot(a, x, 2), b);
  const Array inverse = tensorinv(a);
  EXPECT_EQ(inverse.shape(), Shape({3, 2, 2, 3}));
  expect_close(tensordot(inverse, b, 2), x);
}

TEST_P(SolveTest, EmptyMatricesFollowNumPy) {
  EXPECT_EQ(inv(zeros({0, 0}, dtype())).shape(), Shape({0, 0}));
  EXPECT_EQ(inv(zeros({0, 2, 2}, dtype())).shape(), Shape({0, 2, 2}));
  EXPECT_THAT(det(zeros({0, 0}, dtype())), IsArray(ones({}, dtype())));
  EXPECT_THAT(slogdet(zeros({2, 0, 0}, dtype())).sign,
              IsArray(ones({2}, dtype())));
  EXPECT_EQ(solve(identity(3, dtype()), zeros({3, 0}, dtype())).shape(),
            Shape({3, 0}));
  EXPECT_EQ(solve(zeros({0, 0}, dtype()), zeros({0, 2}, dtype())).shape(),
            Shape({0, 2}));
}

TEST_P(SolveTest, SingularMatricesAreNamed) {
  const Array stack = identity(2, dtype()).broadcast_to({3, 2, 2}).copy();
  stack[{1, 1, 1}].fill(0);
  EXPECT_THAT(error_of<LinAlgError>([&] { inv(stack); }),
              "inv: expected nonsingular matrices, got 0 as pivot 2 of "
              "matrix 1 of shape (3, 2, 2)");
  EXPECT_THAT(error_of<LinAlgError>([&] {
                solve(stack, ones({1, 2, 1}, dtype()));
              }),
              HasSubstr("solve: expected nonsing"));
  EXPECT_THAT(error_of<LinAlgError>([&] { matrix_power(stack, -1); }),
              HasSubstr("pivot 2"));
  stack.fill(std::nan(""));
  EXPECT_THAT(error_of<LinAlgError>([&] { pinv(stack); }),
              HasSubstr("pinv: expected finite"));
  EXPECT_THAT(
      error_of<LinAlgError>([&] { lstsq(stack[0], ones({2}, dtype())); }),
      HasSubstr("lstsq: expected finite"));
}

INSTANTIATE_TEST_SUITE_P(All, SolveTest,
                         ::testing::Combine(testing::every_device(),
                                            ::testing::Values(Dtype::kFloat32,
                                                              Dtype::kFloat64)),
                         testing::device_dtype_name);

TEST(SolveDtypeTest, OperandsArePromoted) {
  const Array a = identity(2, Dtype::kFloat32);
  EXPECT_EQ(solve(a, ones({2}, Dtype::kFloat32)).dtype(), Dtype::kFloat32);
  EXPECT_EQ(solve(a, ones({2}, Dtype::kInt32)).dtype(), Dtype::kFloat64);
  EXPECT_EQ(inv(array({{1, 2}, {3, 4}})).dtype(), Dtype::kFloat64);
  EXPECT_THAT(matrix_power(array({{1, 1}, {1, 0}}), 10),
              IsArray(array({{89, 55}, {55, 34}})));
  EXPECT_THAT(error_of<DtypeError>([&] { det(a.astype(Dtype::kFloat16)); }),
              HasSubstr("det: expected float32"));
}

TEST(SolveShapeTest, WhatDoesNotMatchIsRefused) {
  EXPECT_THAT(error_of<ShapeError>([] {
                inv(zeros({2, 3}));
              }),
              "inv: expected square matrices, got shape (2, 3)");
  EXPECT_THAT(error_of<ShapeError>([] {
                solve(zeros({2, 2}), zeros({3}));
              }),
              "solve: expected as many rows of b as "
              "of a, got shapes (2, 2) and (3,)");
  EXPECT_THAT(error_of<ShapeError>([] {
                solve(zeros({4, 2, 2}), zeros({3, 2, 1}));
              }),
              HasSubstr("solve"));
  EXPECT_THAT(error_of<ShapeError>([] {
                lstsq(zeros({2, 2}), zeros({3}));
              }),
              HasSubstr("lstsq"));
  EXPECT_THAT(error_of<ShapeError>([] {
                tensorinv(zeros({2, 3}), 1);
              }),
              HasSubstr("tensorinv"));
  EXPECT_THAT(error_of<ValueError>([] {
                tensorinv(zeros({2, 2}), 0);
              }),
              HasSubstr("got 0"));
  EXPECT_THAT(error_of<ShapeError>([] {
                tensorsolve(zeros({2, 3}), zeros({2}));
              }),
              HasSubstr("tensorsolve"));
  EXPECT_THAT(
      error_of<DeviceError>([] {
        solve(zeros({2, 2}), zeros({2}, Dtype::kFloat64, native_device(1)));
      }),
      HasSubstr("solve"));
}

}  // namespace
}  // namespace catena::array::linalg
