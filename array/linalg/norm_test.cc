#include "catena/array/linalg/norm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "catena/array/array.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
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

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class NormGolden : public testing::GoldenDeviceTest {};

TEST_P(NormGolden, AgreesWithNumPy) {
  NormOptions options;
  if (golden().has_attr("axis")) options.axis = golden().attr<Shape>("axis");
  if (golden().has_attr("ord")) {
    const std::string ord = golden().attr<std::string>("ord");
    if (ord == "fro") {
      options.ord = "fro";
    } else if (ord != "None") {
      options.ord = std::stod(ord);  // knows "inf"
    }
  }
  EXPECT_THAT(norm(array("in0"), options), golden().is_close("out0"));
}

INSTANTIATE_TEST_SUITE_P(
    All, NormGolden,
    testing::every_device_and_case("array/linalg",
                                   [](const testing::GoldenCase& golden) {
                                     return golden.attr<std::string>("op") ==
                                            "linalg.norm";
                                   }),
    testing::golden_device_name);

class NormTest : public testing::DeviceTest {};

TEST_P(NormTest, OfVectorsInEveryOrder) {
  const Array x = array({3.0, 0.0, -4.0});
  const auto of = [&](double ord) {
    return norm(x, {.ord = ord}).item<double>();
  };
  EXPECT_DOUBLE_EQ(norm(x).item<double>(), 5);
  EXPECT_DOUBLE_EQ(of(2), 5);
  EXPECT_DOUBLE_EQ(of(1), 7);
  EXPECT_DOUBLE_EQ(of(0), 2);
  EXPECT_DOUBLE_EQ(of(kInfinity), 4);
  EXPECT_DOUBLE_EQ(of(-kInfinity), 0);
  EXPECT_DOUBLE_EQ(of(3), std::cbrt(27.0 + 64.0));
  EXPECT_DOUBLE_EQ(of(-1), 0);
  EXPECT_DOUBLE_EQ(of(0.5), std::pow(std::sqrt(3.0) + 2, 2));
}

TEST_P(NormTest, OfMatricesInEveryOrder) {
  const Array x = array({{3.0, 0.0}, {-4.0, 5.0}});
  const auto of = [&](NormOrder ord) {
    return norm(x, {.ord = ord}).item<double>();
  };
  // The singular values are sqrt(45) and sqrt(5).
  EXPECT_DOUBLE_EQ(of("fro"), std::sqrt(50.0));
  EXPECT_DOUBLE_EQ(of("nuc"), std::sqrt(45.0) + std::sqrt(5.0));
  EXPECT_DOUBLE_EQ(of(2), std::sqrt(45.0));
  EXPECT_DOUBLE_EQ(of(-2), std::sqrt(5.0));
  EXPECT_DOUBLE_EQ(of(1), 7);
  EXPECT_DOUBLE_EQ(of(-1), 5);
  EXPECT_DOUBLE_EQ(of(kInfinity), 9);
  EXPECT_DOUBLE_EQ(of(-kInfinity), 3);
}

TEST_P(NormTest, AlongAxesOfAStack) {
  const Array x = arange(24).reshape({2, 3, 4}).astype(Dtype::kFloat64);
  for (const NormOrder ord :
       {NormOrder("fro"), NormOrder("nuc"), NormOrder(1), NormOrder(-1),
        NormOrder(2), NormOrder(kInfinity)}) {
    const Array y = norm(x, {.ord = ord, .axis = {2, 0}});
    ASSERT_EQ(y.shape(), Shape({3}));
    for (int64_t i = 0; i < 3; ++i) {
      const Array matrix = x[{Slice(), i, Slice()}].T();
      EXPECT_THAT(y[i].copy(), IsClose(norm(matrix, {.ord = ord})));
    }
    EXPECT_EQ(norm(x, {.ord = ord, .axis = {-1, 0}, .keepdims = true}).shape(),
              Shape({1, 3, 1}));
  }
  EXPECT_THAT(norm(x, {.ord = 1, .axis = -2}), IsArray(sum(x, {.axis = 1})));
  EXPECT_THAT(norm(x), IsClose(sqrt(sum(square(x)))));
  EXPECT_EQ(norm(x, {.keepdims = true}).shape(), Shape({1, 1, 1}));
  EXPECT_THAT(norm(array(-2.0)), IsArray(array(2.0)));
}

TEST_P(NormTest, DtypesFollowNumPy) {
  EXPECT_THAT(norm(array({3, 4})), IsArray(array(5.0)));
  const Array half = full({1000}, 100, Dtype::kFloat16);
  // The sum of squares, 1e7, is no float16; the root is.
  EXPECT_THAT(norm(half), IsClose(full({}, 3162.0, Dtype::kFloat16)));
  EXPECT_EQ(norm(half, {.ord = 1}).dtype(), Dtype::kFloat16);
  EXPECT_EQ(norm(array({3.f, 4.f}), {.ord = 0}).dtype(), Dtype::kFloat32);
}

TEST_P(NormTest, ConditionNumbers) {
  const Array a = array({{1.0, 0.0}, {0.0, 4.0}});
  for (const NormOrder p : {NormOrder(1), NormOrder(2), NormOrder(kInfinity)}) {
    EXPECT_THAT(cond(a, p), IsClose(array(4.0)));
  }
  EXPECT_THAT(cond(a), IsClose(array(4.0)));
  EXPECT_THAT(cond(a, -2), IsClose(array(0.25)));
  EXPECT_THAT(cond(a, "fro"), IsClose(array(17.0 / 4)));
  EXPECT_THAT(cond(ones({3, 2})).shape(), Shape());
  const Array stack = array({{{1.0, 2.0}, {2.0, 4.0}},
                             {{1.0, 0.0}, {0.0, 1.0}},
                             {{std::nan(""), 0.0}, {0.0, 1.0}}});
  EXPECT_THAT(cond(stack, 1), IsArray(array({kInfinity, 1.0, std::nan("")})));
  EXPECT_THAT(error_of<ValueError>([] {
                cond(zeros({0, 0}));
              }),
              HasSubstr("cond: expected matrices "
                        "with elements"));
}

TEST_P(NormTest, Ranks) {
  const Array a = array({{1.0, 2.0}, {2.0, 4.0}});
  EXPECT_THAT(matrix_rank(a), IsArray(array(1)));
  EXPECT_THAT(matrix_rank(a, {.hermitian = true}), IsArray(array(1)));
  EXPECT_THAT(matrix_rank(identity(4)), IsArray(array(4)));
  EXPECT_THAT(matrix_rank(multiply(identity(4), 0.1), {.tol = 0.5}),
              IsArray(array(0)));
  EXPECT_THAT(matrix_rank(ones({2, 3, 5})), IsArray(array({1, 1})));
  EXPECT_THAT(matrix_rank(zeros({3})), IsArray(array(0)));
  EXPECT_THAT(matrix_rank(array({0.0, 2.0})), IsArray(array(1)));
  EXPECT_THAT(matrix_rank(zeros({2, 0, 3})), IsArray(array({0, 0})));
}

TEST_P(NormTest, OrdersAndAxesThatDoNotFitAreRefused) {
  const Array x = ones({2, 2});
  EXPECT_THAT(error_of<ValueError>([&] { norm(x, {.ord = 3}); }),
              HasSubstr("as ord for matrices, got 3"));
  EXPECT_THAT(error_of<ValueError>([&] { norm(x[0], {.ord = "fro"}); }),
              "norm: expected a number as ord for vectors, got \"fro\"");
  EXPECT_THAT(error_of<ValueError>([&] { norm(x, {.ord = "max"}); }),
              HasSubstr("got \"max\""));
  EXPECT_THAT(error_of<ValueError>([] {
                norm(ones({2, 2, 2}), {.ord = 2});
              }),
              HasSubstr("got axes (0, 1, 2)"));
  EXPECT_THAT(error_of<ValueError>([&] {
                norm(x, {.axis = {1, -1}});
              }),
              HasSubstr("two distinct"));
  EXPECT_THAT(error_of<IndexError>([&] { norm(x, {.axis = 2}); }),
              HasSubstr("norm"));
  EXPECT_THAT(error_of<DtypeError>(
                  [&] { norm(x.astype(Dtype::kFloat16), {.ord = "nuc"}); }),
              HasSubstr("norm: expected float32"));
}

INSTANTIATE_TEST_SUITE_P(All, NormTest, testing::every_device(),
                         testing::device_name);

}  // namespace
}  // namespace catena::array::linalg
