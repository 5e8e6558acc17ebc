#include "catena/functions/math/log1p.h"

#include <gmock/gmock.h>

#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

class Log1pTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Log1p, Log1pTest, testing::every_device(),
                         testing::device_name);

TEST_P(Log1pTest, HasGradientsKeepsDtypesAndRejectsOthers) {
  testing::check_elementwise_function(functions::log1p,
                                      {.low = -0.5, .high = 3});
}

}  // namespace
}  // namespace catena::functions
