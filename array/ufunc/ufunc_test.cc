#include "catena/array/ufunc/ufunc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/testing/ufunc_names.h"
#include "catena/tests/support/golden_device_test.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

namespace xp = catena::array;
using catena::testing::binary_ufuncs;
using ::catena::testing::error_of;
using catena::testing::IsArray;
using catena::testing::IsClose;
using catena::testing::unary_ufuncs;

constexpr double kInf = HUGE_VAL;
const double kNan = std::nan("");

class UfuncGoldenTest : public catena::testing::GoldenDeviceTest {};

TEST_P(UfuncGoldenTest, AgreesWithNumpy) {
  const auto op = golden().attr<std::string>("op");
  const Array a = array("in0");
  if (const auto unary = unary_ufuncs().find(op);
      unary != unary_ufuncs().end()) {
    EXPECT_THAT(unary->second(a), golden().is_close("out0"));
    return;
  }
  ASSERT_TRUE(binary_ufuncs().contains(op)) << op;
  const Array b = array("in1");
  Array y = binary_ufuncs().at(op)(a, b);
  // NumPy 1.x takes a 0-d array for a weak number; here it is an array.
  if ((a.ndim() == 0) != (b.ndim() == 0)) {
    y = y.astype(golden().array("out0").dtype());
  }
  EXPECT_THAT(y, golden().is_close("out0"));
}

INSTANTIATE_TEST_SUITE_P(
    Arithmetic, UfuncGoldenTest,
    catena::testing::every_device_and_case("array/arithmetic"),
    catena::testing::golden_device_name);
INSTANTIATE_TEST_SUITE_P(Unary, UfuncGoldenTest,
                         catena::testing::every_device_and_case("array/unary"),
                         catena::testing::golden_device_name);

class UfuncTest : public catena::testing::DeviceTest {};

TEST_P(UfuncTest, BroadcastsItsOperands) {
  const Array column = xp::array({{1}, {2}});
  const Array row = xp::array({10, 20, 30});
  EXPECT_THAT(column + row, IsArray(xp::array({{11, 21, 31}, {12, 22, 32}})));
  EXPECT_THAT(xp::array(1) + row, IsArray(xp::array({11, 21, 31})));
  EXPECT_EQ((xp::zeros({0, 1}) + row).shape(), Shape({0, 3}));
}

TEST_P(UfuncTest, OperatorsTakeNumbersOnEitherSide) {
  const Array x = xp::array({1.0, 2.0, 4.0});
  EXPECT_THAT(x + 1, IsArray(xp::array({2.0, 3.0, 5.0})));
  EXPECT_THAT(1 - x, IsArray(xp::array({0.0, -1.0, -3.0})));
  EXPECT_THAT(2 * x, IsArray(xp::array({2.0, 4.0, 8.0})));
  EXPECT_THAT(4 / x, IsArray(xp::array({4.0, 2.0, 1.0})));
  EXPECT_THAT(-x, IsArray(xp::array({-1.0, -2.0, -4.0})));
}

TEST_P(UfuncTest, MultiplyAddIsBothInOne) {
  const Array x = xp::array({{1.0, 2.0}, {3.0, 4.0}});
  EXPECT_THAT(xp::multiply_add(x, xp::array({10.0, 100.0}), 1),
              IsArray(xp::array({{11.0, 201.0}, {31.0, 401.0}})));
  EXPECT_THAT(xp::multiply_add(xp::array({3, 5}), 2, xp::array({1, 1})),
              IsArray(xp::array({7, 11})));
  EXPECT_THAT(xp::multiply_add(xp::array({true, false}), true, false),
              IsArray(xp::array({true, false})));
}

TEST_P(UfuncTest, DivisionRoundsDownAndTheRemainderHasTheDivisorsSign) {
  const Array a = xp::array({7, -7, 7, -7});
  const Array b = xp::array({2, 2, -2, -2});
  EXPECT_THAT(xp::floor_divide(a, b), IsArray(xp::array({3, -4, -4, 3})));
  EXPECT_THAT(xp::remainder(a, b), IsArray(xp::array({1, 1, -1, -1})));
  const Array x = a.astype(Dtype::kFloat32);
  const Array y = b.astype(Dtype::kFloat32);
  EXPECT_THAT(xp::floor_divide(x, y),
              IsArray(xp::array({3, -4, -4, 3}, Dtype::kFloat32)));
  EXPECT_THAT(xp::remainder(x, y),
              IsArray(xp::array({1, 1, -1, -1}, Dtype::kFloat32)));
}

TEST_P(UfuncTest, IntegersDividedByZeroGiveZero) {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  const Array a = xp::array({int64_t{5}, int64_t{-5}, kMin});
  EXPECT_THAT(xp::floor_divide(a, 0), IsArray(xp::array({0, 0, 0})));
  EXPECT_THAT(xp::remainder(a, 0), IsArray(xp::array({0, 0, 0})));
  EXPECT_THAT(xp::floor_divide(a, -1),
              IsArray(xp::array({int64_t{-5}, int64_t{5}, kMin})));
  EXPECT_THAT(xp::remainder(a, -1), IsArray(xp::array({0, 0, 0})));
}

TEST_P(UfuncTest, IntegersWrapRound) {
  EXPECT_THAT(xp::array({127}, Dtype::kInt8) + 1,
              IsArray(xp::array({-128}, Dtype::kInt8)));
  EXPECT_THAT(xp::array({0}, Dtype::kUInt16) - 1,
              IsArray(xp::array({65535}, Dtype::kUInt16)));
  const Array max = xp::array({std::numeric_limits<int64_t>::max()});
  EXPECT_THAT(max * max, IsArray(xp::array({1})));
  EXPECT_THAT(-xp::array({-128}, Dtype::kInt8),
              IsArray(xp::array({-128}, Dtype::kInt8)));
  EXPECT_THAT(xp::abs(xp::array({-128}, Dtype::kInt8)),
              IsArray(xp::array({-128}, Dtype::kInt8)));
}

TEST_P(UfuncTest, BoolsAddAsOrAndMultiplyAsAnd) {
  const Array a = xp::array({true, true, false, false});
  const Array b = xp::array({true, false, true, false});
  EXPECT_THAT(a + b, IsArray(xp::array({true, true, true, false})));
  EXPECT_THAT(a * b, IsArray(xp::array({true, false, false, false})));
  EXPECT_THAT(xp::maximum(a, b), IsArray(xp::array({true, true, true, false})));
}

TEST_P(UfuncTest, PowersOfIntegersAreIntegers) {
  EXPECT_THAT(xp::power(xp::array({2, -3, 10}), 3),
              IsArray(xp::array({8, -27, 1000})));
  EXPECT_THAT(xp::power(xp::array({2, 1, -1, 0}), xp::array({0, -3, -3, 5})),
              IsArray(xp::array({1, 1, -1, 0})));
  EXPECT_THAT(xp::power(xp::array({2.0, 4.0}), 0.5),
              IsClose(xp::array({std::sqrt(2.0), 2.0})));
  EXPECT_THAT(xp::power(2.0, xp::array({-1.0, 0.0})),
              IsArray(xp::array({0.5, 1.0})));
}

TEST_P(UfuncTest, NansSpreadThroughMaximumAndMinimum) {
  const Array a = xp::array({kNan, 1.0, kNan, -kInf});
  const Array b = xp::array({1.0, kNan, kNan, 2.0});
  EXPECT_THAT(xp::maximum(a, b), IsArray(xp::array({kNan, kNan, kNan, 2.0})));
  EXPECT_THAT(xp::minimum(a, b), IsArray(xp::array({kNan, kNan, kNan, -kInf})));
}

TEST_P(UfuncTest, NansCompareUnequalAndUnordered) {
  const Array a = xp::array({kNan, 1.0, kInf});
  const Array b = xp::array({kNan, kNan, kInf});
  EXPECT_THAT(xp::equal(a, b), IsArray(xp::array({false, false, true})));
  EXPECT_THAT(xp::not_equal(a, b), IsArray(xp::array({true, true, false})));
  EXPECT_THAT(xp::less(a, b), IsArray(xp::array({false, false, false})));
  EXPECT_THAT(xp::less_equal(a, b), IsArray(xp::array({false, false, true})));
  EXPECT_THAT(xp::greater(a, b), IsArray(xp::array({false, false, false})));
  EXPECT_THAT(xp::greater_equal(a, b),
              IsArray(xp::array({false, false, true})));
}

TEST_P(UfuncTest, LogicTakesAnyDtype) {
  const Array a = xp::array({0.0, 2.0, kNan});
  const Array b = xp::array({1, 0, 1});
  EXPECT_THAT(xp::logical_and(a, b), IsArray(xp::array({false, false, true})));
  EXPECT_THAT(xp::logical_or(a, b), IsArray(xp::array({true, true, true})));
  EXPECT_THAT(xp::logical_xor(a, b), IsArray(xp::array({true, true, false})));
  EXPECT_THAT(xp::logical_not(a), IsArray(xp::array({true, false, false})));
}

TEST_P(UfuncTest, SignOfZeroAndNan) {
  const Array y = xp::sign(xp::array({-3.0, -0.0, 0.0, 2.0, kNan, kInf}));
  EXPECT_THAT(y, IsArray(xp::array({-1.0, 0.0, 0.0, 1.0, kNan, 1.0})));
}

TEST_P(UfuncTest, NegativeAndReluKeepWhatTheyShould) {
  const Array y = xp::negative(xp::array({0.0, kNan, kInf}));
  EXPECT_THAT(y, IsArray(xp::array({-0.0, kNan, -kInf})));
  EXPECT_TRUE(std::signbit(y[0].item<double>()));
  EXPECT_THAT(xp::relu(xp::array({-2.0, 0.0, 3.0, kNan, -kInf})),
              IsArray(xp::array({0.0, 0.0, 3.0, kNan, 0.0})));
  EXPECT_THAT(xp::relu(xp::array({-2, 3}, Dtype::kInt8)),
              IsArray(xp::array({0, 3}, Dtype::kInt8)));
}

TEST_P(UfuncTest, WhereChoosesAndBroadcasts) {
  const Array condition = xp::array({{true}, {false}});
  EXPECT_THAT(xp::where(condition, xp::array({1, 2}), xp::array({3.5, 4.5})),
              IsArray(xp::array({{1.0, 2.0}, {3.5, 4.5}})));
  EXPECT_THAT(xp::where(condition, 1, xp::array({2.5f})),
              IsArray(xp::array({{1.0f}, {2.5f}})));
  EXPECT_THAT(xp::where(condition, 1, 2), IsArray(xp::array({{1}, {2}})));
}

TEST_P(UfuncTest, WhereTakesWhatIsNotZeroAsTrue) {
  EXPECT_THAT(xp::where(xp::array({0, 256, -1}), 1, 2),
              IsArray(xp::array({2, 1, 1})));
  EXPECT_THAT(xp::where(xp::array({0.0, -0.0, 0.25, kNan}), 1, 2),
              IsArray(xp::array({2, 2, 1, 1})));
  EXPECT_THAT(xp::where(xp::array({0, 255}, Dtype::kUInt8).expand_dims(1),
                        xp::array({1.5f}), xp::array({3.5f, 4.5f})),
              IsArray(xp::array({{3.5f, 4.5f}, {1.5f, 1.5f}})));
}

TEST_P(UfuncTest, IsFiniteKnowsInfinitiesAndNans) {
  const Array x = xp::array({0.0, kInf, -kInf, kNan, 1e308});
  EXPECT_THAT(xp::isfinite(x),
              IsArray(xp::array({true, false, false, false, true})));
  EXPECT_THAT(xp::isnan(x),
              IsArray(xp::array({false, false, false, true, false})));
  EXPECT_THAT(xp::isfinite(xp::array({1, 2})),
              IsArray(xp::array({true, true})));
}

TEST_P(UfuncTest, ATemporaryLendsItsMemoryToTheResult) {
  const Array a = xp::ones({100});
  Array temporary = a + 1;
  const char* const memory = temporary.raw_data();
  const Array y = std::move(temporary) * 3;
  EXPECT_EQ(y.raw_data(), memory);
  EXPECT_THAT(y, IsArray(xp::full({100}, 6.0)));
}

TEST_P(UfuncTest, MemoryThatOthersSeeIsNotReused) {
  Array a = xp::ones({100});
  const Array view = a[{Slice(0, 3)}];
  const Array y = std::move(a) + 1;
  EXPECT_THAT(view, IsArray(xp::ones({3})));
  EXPECT_NE(y.storage(), view.storage());
  // Another dtype, another shape.
  EXPECT_EQ(xp::equal(xp::ones({3}), 1.0).dtype(), Dtype::kBool);
  EXPECT_EQ((xp::ones({3, 1}) + xp::ones({1, 3})).shape(), Shape({3, 3}));
}

TEST_P(UfuncTest, InPlaceOperationsWriteTheirTarget) {
  const Array a = xp::array({1.0, 2.0, 3.0});
  const Array view = a[{Slice({}, {}, -1)}];
  a += 1;
  a *= xp::array({1, 2, 3});
  a -= view;
  EXPECT_THAT(a, IsArray(xp::array({-10.0, 0.0, 10.0})));
  a /= 4;
  EXPECT_THAT(a, IsArray(xp::array({-2.5, 0.0, 2.5})));
}

TEST_P(UfuncTest, InPlaceOperationsOnOverlappingViewsReadBeforeTheyWrite) {
  const Array a = xp::arange(6);
  a[{Slice(1, 6)}] += a[{Slice(0, 5)}];
  EXPECT_THAT(a, IsArray(xp::array({0, 1, 3, 5, 7, 9})));
  const Array b = xp::arange(9).reshape({3, 3});
  b += b.T();
  EXPECT_THAT(b, IsArray(xp::array({{0, 4, 8}, {4, 8, 12}, {8, 12, 16}})));
  const Array c = xp::arange(4);
  c += c;
  EXPECT_THAT(c, IsArray(xp::array({0, 2, 4, 6})));
}

TEST_P(UfuncTest, InPlaceResultsAreCastToTheTargetsDtype) {
  const Array a = xp::array({1, 2}, Dtype::kFloat16);
  a += xp::array({0.5, 0.25});
  EXPECT_THAT(a, IsArray(xp::array({1.5, 2.25}, Dtype::kFloat16)));
  const Array b = xp::array({250}, Dtype::kUInt8);
  b += 10;
  EXPECT_THAT(b, IsArray(xp::array({4}, Dtype::kUInt8)));
  const Array c = xp::array({120}, Dtype::kInt8);
  c += xp::array({10});
  EXPECT_THAT(c, IsArray(xp::array({-126}, Dtype::kInt8)));
}

TEST_P(UfuncTest, ARefusedInPlaceOperationChangesNothing) {
  const Array a = xp::array({1, 2});
  EXPECT_THAT(error_of<DtypeError>([&] { a += 0.5; }),
              "add: cannot store float64 results in an array of int64");
  EXPECT_THROW(a /= 2, DtypeError);
  const Array unsigned_numbers = xp::array({1}, Dtype::kUInt8);
  EXPECT_THROW(unsigned_numbers += xp::array({1}), DtypeError);
  EXPECT_THAT(error_of<ShapeError>([&] {
                a += xp::array({{1}, {2}});
              }),
              "add: expected an output of shape (2, 2), got (2,)");
  EXPECT_THROW(a += xp::zeros({3}, Dtype::kInt64), ShapeError);
  EXPECT_THROW(xp::zeros({1}, Dtype::kBool) += xp::array({1}), DtypeError);
  EXPECT_THAT(a, IsArray(xp::array({1, 2})));
}

TEST_P(UfuncTest, NumbersThatTheDtypeCannotHoldAreRefused) {
  const Array a = xp::zeros({2}, Dtype::kInt8);
  EXPECT_THAT(error_of<DtypeError>([&] { a + 128; }),
              "add: expected a number that int8 can hold, got 128");
  EXPECT_THROW(xp::zeros({2}, Dtype::kUInt8) * -1, DtypeError);
  EXPECT_THROW(xp::less(xp::zeros({2}, Dtype::kUInt64), -1), DtypeError);
  EXPECT_EQ((a + 127).dtype(), Dtype::kInt8);
}

TEST_P(UfuncTest, ShapesThatDoNotBroadcastAreRefused) {
  EXPECT_THAT(error_of<ShapeError>([] {
                xp::zeros({2, 3}) + xp::zeros({2});
              }),
              "add: shapes (2, 3) and (2,) cannot be "
              "broadcast together");
  EXPECT_THROW(xp::where(xp::array({true, false}), xp::zeros({3}), 1),
               ShapeError);
  const Array column = xp::zeros({1, 1}).broadcast_to({int64_t{1} << 40, 1});
  const Array row = xp::zeros({1, 1}).broadcast_to({1, int64_t{1} << 40});
  EXPECT_THROW(column + row, ShapeError);
}

TEST_P(UfuncTest, WhatIsNotOfferedForADtypeIsRefused) {
  const Array a = xp::array({true});
  EXPECT_THAT(error_of<DtypeError>([&] { a - a; }),
              "subtract: not offered for dtype bool");
  EXPECT_THROW(-a, DtypeError);
  EXPECT_THROW(xp::sign(a), DtypeError);
}

TEST_P(UfuncTest, NegativePowersOfIntegersAreRefused) {
  EXPECT_THAT(error_of<ValueError>([] { xp::power(xp::array({2}), -1); }),
              "power: expected an exponent of at "
              "least 0 for integers, got -1");
  EXPECT_THAT(xp::power(xp::array({2.0}), -1), IsArray(xp::array({0.5})));
}

TEST_P(UfuncTest, OperatorsOnBitsTakeIntegersAndBools) {
  const Array a = xp::array({12, 10});
  EXPECT_THAT(a & 10, IsArray(xp::array({8, 10})));
  EXPECT_THAT(3 | a, IsArray(xp::array({15, 11})));
  EXPECT_THAT(a ^ a, IsArray(xp::array({0, 0})));
  EXPECT_THAT(~a, IsArray(xp::array({-13, -11})));
  EXPECT_THAT(a << 2, IsArray(xp::array({48, 40})));
  EXPECT_THAT(1 << xp::array({0, 3}), IsArray(xp::array({1, 8})));
  EXPECT_THAT(a >> 1, IsArray(xp::array({6, 5})));
  const Array b = xp::array({true, false});
  EXPECT_THAT(b & true, IsArray(b));
  EXPECT_THAT(b ^ true, IsArray(~b));
  EXPECT_THAT(~b, IsArray(xp::array({false, true})));
  EXPECT_THAT(b << b, IsArray(xp::array({2, 0}, Dtype::kInt8)));
  EXPECT_THAT(error_of<DtypeError>([&] { a & 1.5; }),
              "bitwise_and: not offered for dtype float64");
  EXPECT_THROW(xp::array({1.5}) << 1, DtypeError);
}

TEST_P(UfuncTest, ShiftsOfAllBitsLeaveNothingButTheSign) {
  const Array a = xp::array({-5, 5}, Dtype::kInt8);
  for (const int n : {8, 100, -1}) {
    EXPECT_THAT(a << n, IsArray(xp::array({0, 0}, Dtype::kInt8))) << n;
    EXPECT_THAT(a >> n, IsArray(xp::array({-1, 0}, Dtype::kInt8))) << n;
  }
  EXPECT_THAT(a << 7, IsArray(xp::array({-128, -128}, Dtype::kInt8)));
  EXPECT_THAT(a >> 7, IsArray(xp::array({-1, 0}, Dtype::kInt8)));
}

TEST_P(UfuncTest, UnaryPlusCopiesAndPercentIsTheRemainder) {
  const Array a = xp::array({-7, 7});
  const Array b = +a;
  EXPECT_THAT(b, IsArray(a));
  EXPECT_NE(b.storage(), a.storage());
  EXPECT_THAT(a % 4, IsArray(xp::array({1, 3})));
  EXPECT_THAT(10 % xp::array({-4.0, 4.0}), IsArray(xp::array({-2.0, 2.0})));
}

TEST_P(UfuncTest, EveryOperatorHasAnInPlaceForm) {
  const Array a = xp::array({13, 6});
  a %= 8;
  EXPECT_THAT(a, IsArray(xp::array({5, 6})));
  a <<= 2;
  EXPECT_THAT(a, IsArray(xp::array({20, 24})));
  a >>= xp::array({1, 0});
  EXPECT_THAT(a, IsArray(xp::array({10, 24})));
  a |= 1;
  EXPECT_THAT(a, IsArray(xp::array({11, 25})));
  a &= 9;
  EXPECT_THAT(a, IsArray(xp::array({9, 9})));
  a ^= xp::array({1, 2});
  EXPECT_THAT(a, IsArray(xp::array({8, 11})));
  xp::floor_divide(a, 3, {.out = a});
  EXPECT_THAT(a, IsArray(xp::array({2, 3})));
  xp::power(a, 3, {.out = a});
  EXPECT_THAT(a, IsArray(xp::array({8, 27})));
}

TEST_P(UfuncTest, DivmodIsTheQuotientAndTheRemainder) {
  const Array a = xp::array({7, -7, 7, 0});
  const Array b = xp::array({2, 2, -2, 0});
  const auto [quotient, rest] = xp::divmod(a, b);
  EXPECT_THAT(quotient, IsArray(xp::array({3, -4, -4, 0})));
  EXPECT_THAT(rest, IsArray(xp::array({1, 1, -1, 0})));
  const auto [floats, float_rest] = xp::divmod(7.5, xp::array({2.0}));
  EXPECT_THAT(floats, IsArray(xp::array({3.0})));
  EXPECT_THAT(float_rest, IsArray(xp::array({1.5})));
}

TEST_P(UfuncTest, FrexpAndLdexpAreInverse) {
  const Array x = xp::array({6.0, -0.375, 0.0, kInf, kNan, 5e-324});
  const auto [mantissa, exponent] = xp::frexp(x);
  EXPECT_THAT(mantissa,
              IsArray(xp::array({0.75, -0.75, 0.0, kInf, kNan, 0.5})));
  EXPECT_THAT(exponent,
              IsArray(xp::array({3, -1, 0, 0, 0, -1073}, Dtype::kInt32)));
  EXPECT_THAT(xp::ldexp(mantissa, exponent), IsArray(x));
  EXPECT_THAT(xp::ldexp(xp::array({1.0f}), 3), IsArray(xp::array({8.0f})));
  EXPECT_THAT(xp::ldexp(xp::array({1.0, 1.0, 0.0}),
                        xp::array({int64_t{1} << 40, -(int64_t{1} << 40),
                                   int64_t{1} << 40})),
              IsArray(xp::array({kInf, 0.0, 0.0})));
  EXPECT_EQ(xp::frexp(xp::ones({1}, Dtype::kFloat16)).first.dtype(),
            Dtype::kFloat16);
  EXPECT_THAT(error_of<DtypeError>([&] { xp::ldexp(x, x); }),
              "ldexp: cannot cast operand 1 from float64 to int64");
  EXPECT_THROW(xp::ldexp(x, 1.5), DtypeError);
  EXPECT_THROW(xp::ldexp(x, xp::ones({6}, Dtype::kUInt64)), DtypeError);
}

TEST_P(UfuncTest, ModfCutsAtThePointAndKeepsTheSign) {
  const Array x = xp::array({2.5, -2.5, -0.0, kInf, -kInf, kNan, -3.0});
  const auto [fraction, whole] = xp::modf(x);
  EXPECT_THAT(fraction,
              IsArray(xp::array({0.5, -0.5, -0.0, 0.0, -0.0, kNan, -0.0})));
  EXPECT_THAT(whole,
              IsArray(xp::array({2.0, -2.0, -0.0, kInf, -kInf, kNan, -3.0})));
  EXPECT_THAT(xp::signbit(fraction),
              IsArray(xp::array({false, true, true, false, true,
                                 fraction[5].item<double>() < 0 ||
                                     std::signbit(fraction[5].item<double>()),
                                 true})));
}

TEST_P(UfuncTest, NextafterStepsInTheDtypeOfItsOperands) {
  EXPECT_THAT(xp::nextafter(xp::array({1.0f}), 2),
              IsArray(xp::array({1 + 0x1p-23f})));
  EXPECT_THAT(xp::nextafter(xp::array({1.0}), -kInf),
              IsArray(xp::array({1 - 0x1p-53})));
  struct Step {
    double from, to, half, brain;
  };
  for (const Step& step :
       {Step{1, 2, 1 + 0x1p-10, 1 + 0x1p-7},
        Step{1, 0, 1 - 0x1p-11, 1 - 0x1p-8},
        Step{-1, -2, -1 - 0x1p-10, -1 - 0x1p-7}, Step{0, 1, 0x1p-24, 0x1p-133},
        Step{0, -1, -0x1p-24, -0x1p-133}, Step{3, 3, 3, 3},
        Step{kInf, 0, 65504, 0x1.fep127}, Step{kNan, 1, kNan, kNan},
        Step{1, kNan, kNan, kNan}}) {
    for (const Dtype dtype : {Dtype::kFloat16, Dtype::kBFloat16}) {
      const Array a = xp::array({step.from}, dtype);
      const Array b = xp::array({step.to}, dtype);
      EXPECT_THAT(
          xp::nextafter(a, b),
          IsArray(xp::array({dtype == Dtype::kFloat16 ? step.half : step.brain},
                            dtype)))
          << step.from << " to " << step.to;
    }
  }
}

TEST_P(UfuncTest, RoundingKeepsInfinitiesAndTheSignOfZero) {
  const Array x = xp::array({-0.3, 0.5, 1.5, 2.5, -kInf, kNan, -2.7, 1e300});
  EXPECT_THAT(
      xp::floor(x),
      IsArray(xp::array({-1.0, 0.0, 1.0, 2.0, -kInf, kNan, -3.0, 1e300})));
  EXPECT_THAT(
      xp::ceil(x),
      IsArray(xp::array({-0.0, 1.0, 2.0, 3.0, -kInf, kNan, -2.0, 1e300})));
  EXPECT_THAT(
      xp::trunc(x),
      IsArray(xp::array({-0.0, 0.0, 1.0, 2.0, -kInf, kNan, -2.0, 1e300})));
  EXPECT_THAT(xp::fix(x), IsArray(xp::trunc(x)));
  EXPECT_THAT(
      xp::rint(x),
      IsArray(xp::array({-0.0, 0.0, 2.0, 2.0, -kInf, kNan, -3.0, 1e300})));
  for (const auto& ufunc : {xp::ceil, xp::trunc, xp::rint}) {
    const Array zeros = ufunc(xp::full({67}, -0.3, Dtype::kFloat32));
    EXPECT_THAT(xp::signbit(zeros), IsArray(xp::full({67}, true)))
        << ufunc.name();
  }
}

TEST_P(UfuncTest, FmaxAndFminPassOverNans) {
  const Array a = xp::array({kNan, 1.0, kNan, 3.0});
  const Array b = xp::array({1.0, kNan, kNan, 2.0});
  EXPECT_THAT(xp::fmax(a, b), IsArray(xp::array({1.0, 1.0, kNan, 3.0})));
  EXPECT_THAT(xp::fmin(a, b), IsArray(xp::array({1.0, 1.0, kNan, 2.0})));
  EXPECT_THAT(xp::fmax(xp::array({1, 5}), 3), IsArray(xp::array({3, 5})));
}

TEST_P(UfuncTest, ClipHoldsBetweenBounds) {
  const Array x = xp::array({-2.0, 0.5, 7.0, kNan});
  EXPECT_THAT(xp::clip(x, 0, 1), IsArray(xp::array({0.0, 0.5, 1.0, kNan})));
  EXPECT_THAT(x.clip(xp::array({-1.0, 1.0, 1.0, 1.0}), 2),
              IsArray(xp::array({-1.0, 1.0, 2.0, kNan})));
  EXPECT_THAT(xp::clip(x, 3, 1), IsArray(xp::array({1.0, 1.0, 1.0, kNan})));
  EXPECT_THAT(xp::arange(5).clip(1, 3), IsArray(xp::array({1, 1, 2, 3, 3})));
}

TEST_P(UfuncTest, ReciprocalsOfIntegersAreCut) {
  EXPECT_THAT(xp::reciprocal(xp::array({-2, -1, 0, 1, 2})),
              IsArray(xp::array({0, -1, 0, 1, 0})));
  EXPECT_THAT(xp::reciprocal(xp::array({255, 1}, Dtype::kUInt8)),
              IsArray(xp::array({0, 1}, Dtype::kUInt8)));
  EXPECT_THAT(xp::reciprocal(xp::array({0.0, -0.0, 4.0})),
              IsArray(xp::array({kInf, -kInf, 0.25})));
}

TEST_P(UfuncTest, SumsOfExponentialsDoNotOverflow) {
  const Array a = xp::array({1000.0, -kInf, kInf, 1.0, kInf, kNan});
  const Array b = xp::array({1000.0, -kInf, kInf, 2.0, -kInf, 0.0});
  EXPECT_THAT(xp::logaddexp(a, b),
              IsClose(xp::array({1000 + std::log(2.0), -kInf, kInf,
                                 2 + std::log1p(std::exp(-1.0)), kInf, kNan})));
  EXPECT_THAT(xp::logaddexp2(a, b),
              IsClose(xp::array(
                  {1001.0, -kInf, kInf, 2 + std::log2(1.5), kInf, kNan})));
}

TEST_P(UfuncTest, AnglesAndHypotenuses) {
  EXPECT_THAT(xp::degrees(xp::array({M_PI, -M_PI / 2})),
              IsClose(xp::array({180.0, -90.0})));
  EXPECT_THAT(xp::radians(xp::array({180.0f})),
              IsClose(xp::array({static_cast<float>(M_PI)})));
  EXPECT_THAT(xp::hypot(xp::array({3e300, 3.0}), xp::array({4e300, 4.0})),
              IsClose(xp::array({5e300, 5.0})));
  EXPECT_THAT(
      xp::arctan2(xp::array({1.0, -1.0, -0.0}), xp::array({-1.0, -1.0, -1.0})),
      IsClose(xp::array({3 * M_PI / 4, -3 * M_PI / 4, -M_PI})));
}

TEST_P(UfuncTest, SignsAreCopiedAndSeen) {
  const Array x = xp::array({0.0, -0.0, 2.0, -kInf});
  EXPECT_THAT(xp::signbit(x), IsArray(xp::array({false, true, false, true})));
  EXPECT_THAT(xp::signbit(xp::copysign(x, -1)),
              IsArray(xp::array({true, true, true, true})));
  EXPECT_THAT(xp::copysign(x, xp::array({1.0, 1.0, -0.0, 1.0})),
              IsArray(xp::array({0.0, 0.0, -2.0, kInf})));
  EXPECT_THAT(xp::isinf(xp::array({kInf, -kInf, kNan, 0.0})),
              IsArray(xp::array({true, true, false, false})));
}

TEST_P(UfuncTest, TheResultIsWrittenToAnOutputOfAnyLayout) {
  const Array base = xp::zeros({3, 2}, Dtype::kFloat32);
  const Array out = base.T();
  const Array y =
      xp::add(xp::array({{1}, {2}}), xp::array({1, 2, 3}), {.out = out});
  EXPECT_TRUE(y.is_same(out));
  EXPECT_THAT(base,
              IsArray(xp::array({{2, 3}, {3, 4}, {4, 5}}, Dtype::kFloat32)));
  // The operands broadcast to the output.
  xp::multiply(xp::array({1, 2}), 10, {.out = base});
  EXPECT_THAT(base, IsArray(xp::array({{10, 20}, {10, 20}, {10, 20}},
                                      Dtype::kFloat32)));
  xp::add(1, 2, {.out = base});
  EXPECT_THAT(base, IsArray(xp::full({3, 2}, 3, Dtype::kFloat32)));
}

TEST_P(UfuncTest, OutputsThatDoNotFitAreRefusedBeforeAnythingIsWritten) {
  const Array a = xp::array({1.5, 2.5});
  const Array integers = xp::array({7, 7});
  EXPECT_THAT(error_of<DtypeError>([&] { xp::add(a, 1, {.out = integers}); }),
              "add: cannot store float64 results in an array of int64");
  EXPECT_THAT(integers, IsArray(xp::array({7, 7})));
  const Array narrow = xp::zeros({1});
  EXPECT_THAT(error_of<ShapeError>([&] { xp::exp(a, {.out = narrow}); }),
              "exp: expected an output of shape (2,), got (1,)");
  EXPECT_THAT(narrow, IsArray(xp::zeros({1})));
  EXPECT_THAT(error_of<ValueError>(
                  [&] { xp::exp(a, {.out = narrow.broadcast_to({2})}); }),
              "exp: expected an array whose elements are distinct, got a "
              "broadcast view of shape (2,)");
  EXPECT_THROW(xp::modf(a, {.out1 = xp::zeros({2}), .out2 = xp::zeros({3, 2})}),
               ShapeError);
}

TEST_P(UfuncTest, TwoOutputsMayShareMemoryWithTheOperandAndEachOther) {
  const Array x = xp::array({2.5, -1.25});
  const Array other = xp::zeros({2});
  xp::modf(x, {.out1 = other, .out2 = x});
  EXPECT_THAT(x, IsArray(xp::array({2.0, -1.0})));
  EXPECT_THAT(other, IsArray(xp::array({0.5, -0.25})));
  const Array y = xp::array({2.5, -1.25});
  xp::modf(y, {.out1 = y[{Slice({}, {}, -1)}], .out2 = y});
  EXPECT_THAT(y, IsArray(xp::array({2.0, -1.0})));
}

TEST_P(UfuncTest, TheDtypeToComputeInCanBeChosen) {
  const Array a = xp::array({1, 2});
  EXPECT_THAT(xp::add(a, a, {.dtype = Dtype::kFloat32}),
              IsArray(xp::array({2, 4}, Dtype::kFloat32)));
  EXPECT_THAT(xp::true_divide(a, 4, {.dtype = Dtype::kFloat32}),
              IsArray(xp::array({0.25f, 0.5f})));
  EXPECT_THAT(
      xp::add(xp::array({100}, Dtype::kInt8), 100, {.dtype = Dtype::kInt64}),
      IsArray(xp::array({200})));
  EXPECT_THAT(error_of<DtypeError>([&] {
                xp::add(xp::array({1.5}), 1, {.dtype = Dtype::kInt64});
              }),
              "add: cannot cast operand 0 from float64 to int64");
  EXPECT_THROW(xp::add(a, 1.5, {.dtype = Dtype::kInt64}), DtypeError);
  EXPECT_THAT(
      error_of<DtypeError>([&] { xp::exp(a, {.dtype = Dtype::kInt64}); }),
      "exp: not offered for dtype int64");
}

TEST(UfuncObjectTest, UfuncsKnowTheirNameArgumentsAndTypes) {
  EXPECT_EQ(xp::add.name(), "add");
  EXPECT_EQ(xp::add.nin(), 2);
  EXPECT_EQ(xp::add.nout(), 1);
  EXPECT_EQ(xp::add.nargs(), 3);
  EXPECT_EQ(xp::clip.nin(), 3);
  EXPECT_EQ(xp::frexp.nout(), 2);
  EXPECT_THAT(xp::sqrt.types(),
              ::testing::ElementsAre("e->e", "E->E", "f->f", "d->d"));
  EXPECT_THAT(xp::ldexp.types(),
              ::testing::ElementsAre("el->e", "El->E", "fl->f", "dl->d"));
  EXPECT_THAT(xp::frexp.types(),
              ::testing::ElementsAre("e->ei", "E->Ei", "f->fi", "d->di"));
  EXPECT_THAT(xp::less.types(), ::testing::Contains("BB->?"));
  EXPECT_THAT(
      xp::bitwise_and.types(),
      ::testing::ElementsAre("?\?->?", "bb->b", "hh->h", "ii->i", "ll->l",
                             "BB->B", "HH->H", "II->I", "LL->L"));
}

INSTANTIATE_TEST_SUITE_P(All, UfuncTest, catena::testing::every_device(),
                         catena::testing::device_name);

TEST(UfuncDeviceTest, OperandsOnSeveralDevicesAreRefusedWithBothNamed) {
  const Array a = xp::zeros({2}, Dtype::kFloat64, native_device(0));
  const Array b = xp::zeros({2}, Dtype::kFloat64, native_device(1));
  EXPECT_THAT(error_of<DeviceError>([&] { a + b; }),
              "add: expected operands on one device, "
              "got native:0 and native:1");
  EXPECT_THROW(a += b, DeviceError);
  EXPECT_THROW(xp::where(xp::less(b, 1), a, 1), DeviceError);
  EXPECT_EQ((b + 1).device(), native_device(1));
}

}  // namespace
}  // namespace catena
