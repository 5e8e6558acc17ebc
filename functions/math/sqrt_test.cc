#include "catena/functions/math/sqrt.h"

#include <gmock/gmock.h>

#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

class SqrtTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Sqrt, SqrtTest, testing::every_device(),
                         testing::device_name);

TEST_P(SqrtTest, HasGradientsKeepsDtypesAndRejectsOthers) {
  for (const auto function : {functions::sqrt, rsqrt}) {
    testing::check_elementwise_function(function, {.low = 0.5, .high = 3});
  }
}

}  // namespace
}  // namespace catena::functions
