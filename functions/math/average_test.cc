#include "catena/functions/math/average.h"

#include <gmock/gmock.h>

#include <cmath>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class AverageTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Average, AverageTest, testing::every_device(),
                         testing::device_name);

TEST_P(AverageTest, GradientsMatchFiniteDifferences) {
  for (const AxisSet& axis : {AxisSet(), AxisSet(1), AxisSet{0, -1}}) {
    testing::check_function_gradients(
        [&](const Variable& x) { return average(x, {.axis = axis}); },
        {testing::uniform({2, 3, 4})});
  }
  testing::check_function_gradients(
      [&](const Variable& x, const Variable& w) {
        return average(x, {.axis = 1, .weights = w, .keepdims = true});
      },
      {testing::uniform({2, 3, 2}), testing::uniform({3}, 1, 2)});
}

TEST_P(AverageTest, WeightsOfEveryElementAreNormalizedAlongTheAxis) {
  const Variable x(array::array({{1.0, 3.0}, {5.0, 7.0}}));
  const Variable w(array::array({{1.0, 0.0}, {1.0, 3.0}}));
  EXPECT_THAT(average(x, {.axis = 1, .weights = w}).data(),
              testing::IsClose(array::array({1.0, 6.5})));
}

TEST_P(AverageTest, OfNothingIsNan) {
  const Array y = mean(Variable(array::zeros({0, 2}))).data();
  EXPECT_THAT(y, testing::IsArray(array::array(double(NAN))));
}

TEST(AverageErrorTest, NamesWhatDoesNotFit) {
  const Variable x(array::zeros({2, 3}));
  EXPECT_THAT(error_of<InvalidType>([&] { average(x, {.axis = 2}); }),
              HasSubstr("Expect: x.ndim > 2"));
  const Variable w(array::ones({2}));
  EXPECT_THAT(
      error_of<InvalidType>([&] { average(x, {.axis = 1, .weights = w}); }),
      HasSubstr("expected weights of shape (3,) for axis 1 of x "
                "(2, 3), got (2,)"));
  EXPECT_THAT(error_of<ValueError>([&] { average(x, {.weights = w}); }),
              HasSubstr("one axis"));
}

}  // namespace
}  // namespace catena::functions
