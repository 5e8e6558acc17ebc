#include "catena/functions/math/expm1.h"

#include <gmock/gmock.h>

#include "catena/tests/support/function_golden.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

class Expm1Golden : public testing::FunctionGoldenTest {};
TEST_P(Expm1Golden, AgreesWithChainer) {
  check_case([](const Variables& in) { return functions::expm1(in[0]); });
}
INSTANTIATE_TEST_SUITE_P(Expm1, Expm1Golden,
                         testing::every_device_and_case("functions/math/expm1"),
                         testing::golden_device_name);

class Expm1Test : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Expm1, Expm1Test, testing::every_device(),
                         testing::device_name);

TEST_P(Expm1Test, HasGradientsKeepsDtypesAndRejectsOthers) {
  testing::check_elementwise_function(functions::expm1, {});
}

}  // namespace
}  // namespace catena::functions
