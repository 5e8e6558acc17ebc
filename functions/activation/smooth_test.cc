#include <gmock/gmock.h>

#include <cmath>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/functions/activation/elu.h"
#include "catena/functions/activation/selu.h"
#include "catena/functions/activation/softplus.h"
#include "catena/functions/activation/swish.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class SmoothTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, SmoothTest, testing::every_device(),
                         testing::device_name);

TEST_P(SmoothTest, GradientsMatchKeepDtypesAndRejectOthers) {
  constexpr testing::UnaryDomain kAroundZero{
      .low = 0.2, .high = 1, .mirrored = true};
  testing::check_elementwise_function(
      [](const Variable& x) { return elu(x, {.alpha = 0.7}); }, kAroundZero);
  testing::check_elementwise_function([](const Variable& x) { return selu(x); },
                                      kAroundZero);
  testing::check_elementwise_function(
      [](const Variable& x) { return softplus(x, {.beta = 1.5}); });
}

TEST_P(SmoothTest, BetaOfSwishIsSharedAlongTheOtherAxes) {
  const Array x = testing::uniform({2, 3, 4});
  for (const Shape& shape : {Shape{}, Shape{3}, Shape{3, 4}}) {
    SCOPED_TRACE(str("shape ", shape));
    testing::check_function_gradients(swish,
                                      {x, testing::uniform(shape, 0.1, 1)});
  }
  testing::check_function_gradients(
      swish, {testing::uniform({0, 3}), testing::uniform({3})});
}

// Neither values nor gradients of any order overflow far from 0.
TEST_P(SmoothTest, FarFromZeroStaysFinite) {
  const Array far = array::array({-1000.0, 1000.0}, Dtype::kFloat32);
  struct Case {
    Variable (*function)(const Variable&);
    double y[2];
    double gx[2];
  };
  const Case cases[] = {
      {[](const Variable& x) { return elu(x); }, {-1, 1000}, {0, 1}},
      {[](const Variable& x) { return softplus(x); }, {0, 1000}, {0, 1}},
      {[](const Variable& x) {
         return swish(x, as_variable(array::ones({}, Dtype::kFloat32)));
       },
       {0, 1000},
       {0, 1}}};
  const auto pair = [](const double(&numbers)[2]) {
    return array::array({numbers[0], numbers[1]}, Dtype::kFloat32);
  };
  for (const Case& c : cases) {
    const Variable x(far);
    const Variable y = c.function(x);
    EXPECT_THAT(y.data(), testing::IsArray(pair(c.y)));
    y.set_grad(array::ones_like(far));
    y.backward({.enable_double_backprop = true});
    const Variable gx = x.grad_var();
    EXPECT_THAT(gx.data(), testing::IsArray(pair(c.gx)));
    x.cleargrad();
    gx.set_grad(array::ones_like(far));
    gx.backward();
    EXPECT_THAT(x.grad(), testing::IsArray(array::zeros_like(far)));
  }
}

TEST(SmoothErrorTest, NamesWhatDoesNotFit) {
  const Variable x(array::ones({2, 3}));
  for (const double beta : {0.0, double(NAN), double(INFINITY)}) {
    EXPECT_THAT(
        error_of<ValueError>([&] { softplus(x, {.beta = beta}); }),
        HasSubstr("softplus: expected a finite beta other than 0, got "));
  }
  EXPECT_THAT(
      error_of<InvalidType>([&] { swish(x, Variable(array::ones({4}))); }),
      HasSubstr("Expect: x.shape[1:2] == beta.shape"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                swish(x, Variable(array::ones({1, 1, 1})));
              }),
              HasSubstr("Expect: x.shape[1:4] == beta.shape"));
}

}  // namespace
}  // namespace catena::functions
