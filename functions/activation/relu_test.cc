#include "catena/functions/activation/relu.h"

#include <gmock/gmock.h>

#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

class ReluTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Relu, ReluTest, testing::every_device(),
                         testing::device_name);

TEST_P(ReluTest, HasGradientsKeepsDtypesAndRejectsOthers) {
  testing::check_elementwise_function(relu, {.low = 0.2, .mirrored = true});
}

TEST_P(ReluTest, GradientIsZeroAtTheKinkAndNanStaysNan) {
  const Variable x(array::array({-1.0, 0.0, 2.0, double(NAN)}));
  const Variable y = relu(x);
  EXPECT_THAT(y.data(),
              testing::IsArray(array::array({0.0, 0.0, 2.0, double(NAN)})));
  y.set_grad(array::ones({4}));
  y.backward();
  EXPECT_THAT(x.grad()[{Slice(3)}],
              testing::IsArray(array::array({0.0, 0.0, 1.0})));
}

}  // namespace
}  // namespace catena::functions
