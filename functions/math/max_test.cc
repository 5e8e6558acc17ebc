#include "catena/functions/math/max.h"

#include <gmock/gmock.h>

#include <cmath>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/random/sampling.h"
#include "catena/functions/math/argmax.h"
#include "catena/functions/math/argmin.h"
#include "catena/functions/math/min.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class MaxTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Max, MaxTest, testing::every_device(),
                         testing::device_name);

TEST_P(MaxTest, GradientsMatchFiniteDifferences) {
  for (const AxisSet& axis : {AxisSet(), AxisSet(1), AxisSet{0, -1}}) {
    for (const bool keepdims : {false, true}) {
      const auto f = [&](const Variable& x) {
        return Variables{max(x, {.axis = axis, .keepdims = keepdims}),
                         min(x, {.axis = axis, .keepdims = keepdims})};
      };
      // No two of them are within the step of the differences.
      const Array order = array::random::Generator(3, native_device())
                              .permutation(24)
                              .to_device(device());
      testing::check_function_gradients(
          f, {order.astype(Dtype::kFloat64).reshape({2, 3, 4})});
    }
  }
  testing::check_function_gradients(
      [](const Variable& x) { return max(x, {.axis = 1}); },
      {testing::uniform({0, 2})});
}

TEST_P(MaxTest, AllThatAreEqualGetTheGradient) {
  const Variable x(array::array({{1.0, 3.0, 3.0}, {2.0, 2.0, -1.0}}));
  const Variable y = max(x, {.axis = 1});
  y.set_grad(array::array({5.0, 7.0}));
  y.backward();
  EXPECT_THAT(x.grad(), testing::IsArray(
                            array::array({{0.0, 5.0, 5.0}, {7.0, 7.0, 0.0}})));
}

TEST_P(MaxTest, NanIsTheResultAndItsPosition) {
  const Variable x(array::array({1.0, std::nan(""), 3.0}));
  EXPECT_TRUE(std::isnan(max(x).data().item<double>()));
  EXPECT_TRUE(std::isnan(min(x).data().item<double>()));
  EXPECT_EQ(argmax(x).data().item<int32_t>(), 1);
  EXPECT_EQ(argmin(x, 0).data().item<int32_t>(), 1);
  EXPECT_FALSE(argmax(x).requires_grad());
}

TEST(MaxErrorTest, NamesFunctionAndAxis) {
  const Variable x(array::zeros({2, 3}));
  const Variable none(array::zeros({2, 0}));
  const Variable integers(array::arange(3));
  EXPECT_THAT(error_of<InvalidType>([&] { max(x, {.axis = 2}); }),
              HasSubstr("max (Forward)\n\nExpect: x.ndim > 2"));
  EXPECT_THAT(error_of<ValueError>([&] {
                min(x, {.axis = {1, -1}});
              }),
              HasSubstr("min"));
  EXPECT_THAT(error_of<InvalidType>([&] { max(integers); }),
              HasSubstr("Expect: x.dtype is floating"));
  EXPECT_THAT(error_of<ValueError>([&] { min(none); }), HasSubstr("min"));
  EXPECT_THAT(error_of<InvalidType>([&] { argmax(x, -3); }),
              HasSubstr("argmax (Forward)\n\nExpect: x.ndim >= 3"));
  EXPECT_THAT(error_of<InvalidType>([&] { argmin(integers); }),
              HasSubstr("argmin (Forward)\n\nExpect: x.dtype is floating"));
  EXPECT_THAT(error_of<ValueError>([&] { argmin(none, 1); }),
              HasSubstr("argmin"));
}

}  // namespace
}  // namespace catena::functions
