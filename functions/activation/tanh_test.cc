#include "catena/functions/activation/tanh.h"

#include <gmock/gmock.h>

#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

class TanhTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Tanh, TanhTest, testing::every_device(),
                         testing::device_name);

TEST_P(TanhTest, HasGradientsKeepsDtypesAndRejectsOthers) {
  testing::check_elementwise_function(functions::tanh, {.low = -2, .high = 2});
}

}  // namespace
}  // namespace catena::functions
