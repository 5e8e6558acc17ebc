#include "catena/array/user_kernel/functor_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"

namespace catena::array {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::IsArray;
using ::catena::testing::IsClose;
using ::testing::HasSubstr;

constexpr auto kFma = [](float x, float y) { return x * y + 1; };

TEST(ElementwiseFunctorTest, BroadcastsArraysAndNumbers) {
  const Array x = arange(6, Dtype::kFloat32).reshape({2, 3});
  EXPECT_THAT(elementwise(kFma, x, 2), IsArray(x * 2 + 1));
  EXPECT_THAT(elementwise(kFma, x.T(), x[0][1]), IsArray(x.T() + 1));
  EXPECT_THAT(elementwise(kFma, x, x[{Slice(0, 1)}]), IsArray(x * x[0] + 1));
  EXPECT_THAT(elementwise(kFma, 2, 3), IsArray(array(7.0f)));
  EXPECT_THAT(elementwise(kFma, x[{Slice(0, 0)}], 1).shape(), Shape({0, 3}));
}

TEST(ElementwiseFunctorTest, TakesCapturesAndOtherTypes) {
  const double limit = 2.5;
  const auto above = [&](double x, int64_t y) { return x + y > limit; };
  EXPECT_THAT(elementwise(above, array({0.0, 1.0, 2.0}), arange(3)),
              IsArray(array({false, false, true})));
}

TEST(ElementwiseFunctorTest, AGenericFunctorIsGivenItsTypes) {
  const auto twice = [](auto x) { return x + x; };
  EXPECT_THAT(elementwise<int64_t(int64_t)>(twice, arange(3)),
              IsArray(array({0, 2, 4})));
}

TEST(ElementwiseFunctorTest, CoversLargeArrays) {
  const Array x = arange(1000003, Dtype::kFloat32);
  EXPECT_THAT(elementwise(kFma, x, 2), IsArray(x * 2 + 1));
}

TEST(ElementwiseFunctorTest, NamesTheArgumentThatDoesNotFit) {
  const Array x = ones({3}, Dtype::kFloat32);
  EXPECT_THAT(
      error_of<ValueError>([&] { elementwise(kFma, x); }),
      "elementwise: expected 2 arguments, as many as the functor takes, "
      "got 1");
  EXPECT_THAT(error_of<DtypeError>([&] { elementwise(kFma, x, arange(3)); }),
              "elementwise: expected float32, the functor's type, for "
              "argument 1, got int64");
  EXPECT_THROW(elementwise(kFma, x, ones({4}, Dtype::kFloat32)), ShapeError);
  EXPECT_THROW(elementwise(kFma, x, x.to_device(native_device(1))),
               DeviceError);
  EXPECT_THAT(error_of<NotImplementedError>(
                  [] { internal::check_native(cuda_device(), "elementwise"); }),
              HasSubstr("elementwise: no kernel of this functor for cuda:0"));
}

constexpr auto kAdd = [](int64_t a, int64_t b) { return a + b; };

TEST(ReduceFunctorTest, AgreesWithSumOnLayoutsAndAxes) {
  const Array x = arange(2 * 3 * 4 * 5).reshape({2, 3, 4, 5});
  const std::vector<Array> views = {
      x, x.T(), x[{ellipsis, Slice(std::nullopt, std::nullopt, -2)}],
      x[{Slice(0, 0)}]};
  for (const Array& view : views) {
    for (const Axes& axes : {Axes{0}, Axes{1, 3}, Axes{2}, Axes{0, 1, 2, 3}}) {
      for (const bool keepdims : {false, true}) {
        EXPECT_THAT(reduce(kAdd, int64_t{0}, view,
                           {.axis = axes, .keepdims = keepdims}),
                    IsArray(sum(view, {.axis = axes, .keepdims = keepdims})));
      }
    }
  }
  EXPECT_THAT(reduce(kAdd, int64_t{0}, x), IsArray(sum(x)));
  EXPECT_THAT(reduce(kAdd, int64_t{0}, x, {.axis = Axes()}), IsArray(x));
}

TEST(ReduceFunctorTest, MapsElementsToAnotherType) {
  const Array x = linspace(-3, 3, 7001).astype(Dtype::kFloat32);
  const auto combine = [](double a, double b) { return a + b; };
  const auto map = [](float value) { return double{value} * value; };
  EXPECT_THAT(reduce(combine, 0.0, x, map),
              IsClose(sum(square(x.astype(Dtype::kFloat64)))));
}

TEST(ReduceFunctorTest, RejectsOtherDtypesAndAxes) {
  EXPECT_THAT(error_of<DtypeError>([] { reduce(kAdd, int64_t{0}, ones({3})); }),
              "reduce: expected int64, the functor's "
              "type, for x, got float64");
  EXPECT_THROW(reduce(kAdd, int64_t{0}, arange(3), {.axis = 1}), IndexError);
}

}  // namespace
}  // namespace catena::array
