#include "catena/functions/math/exp.h"

#include <gmock/gmock.h>

#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

class ExpTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Exp, ExpTest, testing::every_device(),
                         testing::device_name);

TEST_P(ExpTest, HasGradientsKeepsDtypesAndRejectsOthers) {
  testing::check_elementwise_function(functions::exp, {});
}

}  // namespace
}  // namespace catena::functions
