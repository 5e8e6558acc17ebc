#include "catena/functions/activation/silu.h"

#include <gmock/gmock.h>

#include <cmath>

#include "catena/array/creation.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

class SiluTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Silu, SiluTest, testing::every_device(),
                         testing::device_name);

TEST_P(SiluTest, HasGradientsKeepsDtypesAndRejectsOthers) {
  testing::check_elementwise_function(silu, {.low = -4, .high = 4});
}

TEST_P(SiluTest, IsZeroAtMinusInfinityAndNanStaysNan) {
  const Variable x(array::array({-INFINITY, -1e6, 1e6, double(NAN)}));
  const Variable y = silu(x);
  EXPECT_THAT(y.data(),
              testing::IsArray(array::array({-0.0, -0.0, 1e6, double(NAN)})));
  y.set_grad(array::ones({4}));
  y.backward();
  EXPECT_THAT(x.grad(),
              testing::IsArray(array::array({0.0, 0.0, 1.0, double(NAN)})));
}

}  // namespace
}  // namespace catena::functions
