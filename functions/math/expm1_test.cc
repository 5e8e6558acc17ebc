#include "catena/functions/math/expm1.h"

#include <gmock/gmock.h>

#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

class Expm1Test : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Expm1, Expm1Test, testing::every_device(),
                         testing::device_name);

TEST_P(Expm1Test, HasGradientsKeepsDtypesAndRejectsOthers) {
  testing::check_elementwise_function(functions::expm1, {});
}

}  // namespace
}  // namespace catena::functions
