#include <gmock/gmock.h>

#include <cmath>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/functions/activation/clipped_relu.h"
#include "catena/functions/activation/crelu.h"
#include "catena/functions/activation/hard_sigmoid.h"
#include "catena/functions/activation/leaky_relu.h"
#include "catena/functions/activation/prelu.h"
#include "catena/functions/activation/rrelu.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

// The gradient of the function at the numbers for gradients of 1.
template <class F>
Array gradient_at(const Array& numbers, const F& function) {
  const Variable x(numbers);
  const Variable y = function(x);
  y.set_grad(array::ones_like(y.data()));
  y.backward();
  return x.grad();
}

class PiecewiseTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, PiecewiseTest, testing::every_device(),
                         testing::device_name);

TEST_P(PiecewiseTest, GradientsMatchKeepDtypesAndRejectOthers) {
  constexpr testing::UnaryDomain kAroundZero{
      .low = 0.2, .high = 1, .mirrored = true};
  testing::check_elementwise_function(relu6, kAroundZero);
  testing::check_elementwise_function(
      [](const Variable& x) { return clipped_relu(x, {.z = 0.7}); },
      {.low = 0.8, .high = 2});
  testing::check_elementwise_function(hard_sigmoid, {.low = -2, .high = 2});
  testing::check_elementwise_function(
      [](const Variable& x) { return leaky_relu(x); }, kAroundZero);
  const auto test_mode = using_config(&Config::train, false);
  testing::check_elementwise_function(
      [](const Variable& x) { return rrelu(x); }, kAroundZero);
}

TEST_P(PiecewiseTest, KinksHaveTheGradientOfChainerAndNanStaysNan) {
  const Array x = array::array({-1.0, 0.0, 1.0, 2.0, 3.0, double(NAN)});
  const auto clipped = [](const Variable& v) {
    return clipped_relu(v, {.z = 2});
  };
  EXPECT_THAT(
      clipped(Variable(x)).data(),
      testing::IsArray(array::array({0.0, 0.0, 1.0, 2.0, 2.0, double(NAN)})));
  EXPECT_THAT(gradient_at(x, clipped),
              testing::IsArray(array::array({0.0, 0.0, 1.0, 0.0, 0.0, 0.0})));
  EXPECT_THAT(gradient_at(array::array({-2.5, -2.0, 2.0, 2.5}), hard_sigmoid),
              testing::IsArray(array::array({0.0, 0.2, 0.2, 0.0})));
  const auto leaky = [](const Variable& v) { return leaky_relu(v); };
  EXPECT_THAT(gradient_at(array::array({-1.0, -0.0, 0.0}), leaky),
              testing::IsArray(array::array({0.2, 1.0, 1.0})));
  EXPECT_THAT(
      leaky(Variable(x)).data(),
      testing::IsArray(array::array({-0.2, 0.0, 1.0, 2.0, 3.0, double(NAN)})));
}

// Rounded to float16 the limit is less than z.
TEST_P(PiecewiseTest, ALimitThatFloat16CannotHoldStopsTheGradient) {
  const Array x = array::array({2.0, 2.1, 3.0}, Dtype::kFloat16);
  EXPECT_THAT(
      gradient_at(
          x, [](const Variable& v) { return clipped_relu(v, {.z = 2.04}); }),
      testing::IsArray(array::array({1.0, 0.0, 0.0}, Dtype::kFloat16)));
}

TEST_P(PiecewiseTest, SlopesOfPreluAreSharedAlongTheOtherAxes) {
  const Array x = testing::away_from_zero({2, 3, 4});
  for (const Shape& shape : {Shape{}, Shape{3}, Shape{3, 4}}) {
    SCOPED_TRACE(str("shape ", shape));
    testing::check_function_gradients(prelu,
                                      {x, testing::uniform(shape, 0.1, 1)});
  }
  testing::check_function_gradients(
      prelu, {testing::uniform({0, 3}), testing::uniform({3})});
}

TEST_P(PiecewiseTest, CReluGradientsMatchAlongEachAxis) {
  for (const int64_t axis : {0, 1, -1}) {
    testing::check_function_gradients(
        [&](const Variable& x) { return crelu(x, {.axis = axis}); },
        {testing::away_from_zero({2, 3, 4})});
  }
  testing::check_function_gradients([](const Variable& x) { return crelu(x); },
                                    {testing::uniform({3, 0})});
  const Array x = array::array({{-1.0, 0.0, double(NAN)}});
  EXPECT_THAT(crelu(Variable(x)).data(),
              testing::IsArray(array::array(
                  {{0.0, 0.0, double(NAN), 1.0, 0.0, double(NAN)}})));
}

TEST_P(PiecewiseTest, RReluDrawsSlopesInTheInterval) {
  const Variable x(array::full({100, 100}, -1.0, Dtype::kFloat32));
  array::random::seed(3, device());
  Array r;
  const Variable y = rrelu(x, {.l = 0.25, .u = 0.5, .return_r = &r});
  EXPECT_THAT(y.data(), testing::IsArray(-r));
  EXPECT_GE(array::amin(r).item<double>(), 0.25);
  EXPECT_LT(array::amax(r).item<double>(), 0.5);
  EXPECT_NEAR(array::mean(r).item<double>(), 0.375, 0.005);
  EXPECT_TRUE(
      array::any(array::not_equal(rrelu(x).data(), y.data())).item<bool>());
  testing::check_function_gradients(
      [&](const Variable& v) {
        return rrelu(v, {.r = testing::uniform({3, 4}, 0.1, 0.9)});
      },
      {testing::away_from_zero({3, 4})});
}

TEST_P(PiecewiseTest, RReluUsesTheMeanSlopeInTestMode) {
  const auto scope = using_config(&Config::train, false);
  Array r = array::ones({1});
  const Variable x(array::array({-8.0, 8.0}));
  EXPECT_THAT(rrelu(x, {.l = 0.25, .u = 0.5, .return_r = &r}).data(),
              testing::IsArray(array::array({-3.0, 8.0})));
  EXPECT_FALSE(r.defined());
}

TEST(PiecewiseErrorTest, NamesWhatDoesNotFit) {
  const Variable x(array::ones({2, 3}));
  for (const double z : {0.0, -1.0, double(NAN)}) {
    EXPECT_THAT(error_of<ValueError>([&] { clipped_relu(x, {.z = z}); }),
                HasSubstr("clipped_relu: expected z > 0, "));
  }
  EXPECT_THAT(error_of<ValueError>([&] { rrelu(x, {.l = 0.5, .u = 0.5}); }),
              HasSubstr("rrelu: expected 0 <= l < u < 1, got l 0.5 and u 0.5"));
  EXPECT_THAT(error_of<InvalidType>([&] { rrelu(x, {.r = array::ones({3})}); }),
              HasSubstr("Expect: r has the shape, dtype and device of "
                        "x\nActual: r float64 (3,) on native:0"));
  EXPECT_THAT(error_of<InvalidType>([] { rrelu(Variable(array::arange(3))); }),
              HasSubstr("Expect: x.dtype is floating"));
  EXPECT_THAT(
      error_of<InvalidType>([&] { prelu(x, Variable(array::ones({2}))); }),
      HasSubstr("Expect: x.shape[1:2] == W.shape\n"
                "Actual: (2, 3) and (2,)"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                prelu(x, Variable(array::ones({3}, Dtype::kFloat32)));
              }),
              HasSubstr("Expect: x.dtype == W.dtype"));
  EXPECT_THAT(error_of<InvalidType>([&] { crelu(x, {.axis = 2}); }),
              HasSubstr("crelu (Forward)"));
  EXPECT_THAT(error_of<InvalidType>([] {
                crelu(Variable(array::ones({2, 2}, Dtype::kInt32)));
              }),
              HasSubstr("Expect: x.dtype is floating"));
}

}  // namespace
}  // namespace catena::functions
