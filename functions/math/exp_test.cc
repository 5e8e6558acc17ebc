#include "catena/functions/math/exp.h"

#include <gmock/gmock.h>

#include "catena/tests/support/function_golden.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

class ExpGolden : public testing::FunctionGoldenTest {};
TEST_P(ExpGolden, AgreesWithChainer) {
  check_case([](const Variables& in) { return functions::exp(in[0]); });
}
INSTANTIATE_TEST_SUITE_P(Exp, ExpGolden,
                         testing::every_device_and_case("functions/math/exp"),
                         testing::golden_device_name);

class ExpTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Exp, ExpTest, testing::every_device(),
                         testing::device_name);

TEST_P(ExpTest, HasGradientsKeepsDtypesAndRejectsOthers) {
  testing::check_elementwise_function(functions::exp, {});
}

}  // namespace
}  // namespace catena::functions
