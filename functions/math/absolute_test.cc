#include "catena/functions/math/absolute.h"

#include <gmock/gmock.h>

#include "catena/array/creation.h"
#include "catena/functions/math/operators.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

class AbsoluteTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Absolute, AbsoluteTest, testing::every_device(),
                         testing::device_name);

TEST_P(AbsoluteTest, HasGradientsKeepsDtypesAndRejectsOthers) {
  testing::check_elementwise_function(absolute, {.low = 0.2, .mirrored = true});
}

TEST_P(AbsoluteTest, GradientIsZeroAtZero) {
  const Variable x(array::zeros({2}));
  const Variable y = abs(x);
  y.set_grad(array::ones({2}));
  y.backward();
  EXPECT_THAT(x.grad(), testing::IsArray(array::zeros({2})));
}

}  // namespace
}  // namespace catena::functions
