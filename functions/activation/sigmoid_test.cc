#include "catena/functions/activation/sigmoid.h"

#include <gmock/gmock.h>

#include "catena/array/creation.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

class SigmoidTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Sigmoid, SigmoidTest, testing::every_device(),
                         testing::device_name);

TEST_P(SigmoidTest, HasGradientsKeepsDtypesAndRejectsOthers) {
  testing::check_elementwise_function(sigmoid, {.low = -3, .high = 3});
}

TEST_P(SigmoidTest, DoesNotOverflow) {
  const Variable x(array::array({-1000.0, 1000.0}));
  EXPECT_THAT(sigmoid(x).data(), testing::IsArray(array::array({0.0, 1.0})));
}

}  // namespace
}  // namespace catena::functions
