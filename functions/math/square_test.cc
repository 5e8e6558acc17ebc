#include "catena/functions/math/square.h"

#include <gmock/gmock.h>

#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

class SquareTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Square, SquareTest, testing::every_device(),
                         testing::device_name);

TEST_P(SquareTest, HasGradientsKeepsDtypesAndRejectsOthers) {
  testing::check_elementwise_function(square, {});
}

}  // namespace
}  // namespace catena::functions
