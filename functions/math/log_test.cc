#include "catena/functions/math/log.h"

#include <gmock/gmock.h>

#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

class LogTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Log, LogTest, testing::every_device(),
                         testing::device_name);

TEST_P(LogTest, HasGradientsKeepsDtypesAndRejectsOthers) {
  for (const auto function :
       {functions::log, functions::log2, functions::log10}) {
    testing::check_elementwise_function(function, {.low = 0.5, .high = 3});
  }
}

}  // namespace
}  // namespace catena::functions
