#include "catena/functions/activation/tanh.h"

#include <gmock/gmock.h>

#include "catena/tests/support/function_golden.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

class TanhGolden : public testing::FunctionGoldenTest {};
TEST_P(TanhGolden, AgreesWithChainer) {
  check_case([](const Variables& in) { return functions::tanh(in[0]); });
}
INSTANTIATE_TEST_SUITE_P(
    Tanh, TanhGolden,
    testing::every_device_and_case("functions/activation/tanh"),
    testing::golden_device_name);

class TanhTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Tanh, TanhTest, testing::every_device(),
                         testing::device_name);

TEST_P(TanhTest, HasGradientsKeepsDtypesAndRejectsOthers) {
  testing::check_elementwise_function(functions::tanh, {.low = -2, .high = 2});
}

}  // namespace
}  // namespace catena::functions
