#include "catena/functions/activation/maxout.h"

#include <gmock/gmock.h>

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

class MaxoutTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, MaxoutTest, testing::every_device(),
                         testing::device_name);

TEST_P(MaxoutTest, GradientsMatchAlongEachAxis) {
  // Numbers far enough apart that no step changes which is largest.
  const Array x =
      (array::arange(24) * 7 % 24).astype(Dtype::kFloat64).reshape({4, 6}) / 8;
  for (const int64_t axis : {0, 1, -1}) {
    testing::check_function_gradients(
        [&](const Variable& v) { return maxout(v, 2, {.axis = axis}); }, {x});
  }
  testing::check_function_gradients(
      [](const Variable& v) { return maxout(v, 3); },
      {testing::uniform({0, 6})});
}

TEST_P(MaxoutTest, TakesTheLargestOfNeighbours) {
  const Variable x(array::array({{1.0, 4.0, 3.0, 2.0, 5.0, 5.0}}));
  const Variable y = maxout(x, 2);
  EXPECT_THAT(y.data(), testing::IsArray(array::array({{4.0, 3.0, 5.0}})));
  y.set_grad(array::ones({1, 3}));
  y.backward();
  EXPECT_THAT(x.grad(),
              testing::IsArray(array::array({{0.0, 1.0, 1.0, 0.0, 1.0, 1.0}})));
}

TEST(MaxoutErrorTest, NamesWhatDoesNotFit) {
  const Variable x(array::ones({2, 6}));
  EXPECT_THAT(error_of<ValueError>([&] { maxout(x, 0); }),
              HasSubstr("maxout: expected pool_size > 0, got 0"));
  EXPECT_THAT(error_of<InvalidType>([&] { maxout(x, 4); }),
              HasSubstr("Expect: x.shape[1] % pool_size == 0\n"
                        "Actual: 6 % 4 == 2"));
  EXPECT_THAT(error_of<InvalidType>([&] { maxout(x, 2, {.axis = 2}); }),
              HasSubstr("maxout (Forward)"));
  EXPECT_THAT(error_of<InvalidType>([] {
                maxout(Variable(array::ones({2, 2}, Dtype::kInt32)), 2);
              }),
              HasSubstr("Expect: x.dtype is floating"));
}

}  // namespace
}  // namespace catena::functions
