#include "catena/functions/math/absolute.h"

#include <gmock/gmock.h>

#include "catena/array/creation.h"
#include "catena/functions/math/operators.h"
#include "catena/tests/support/function_golden.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

class AbsoluteGolden : public testing::FunctionGoldenTest {};
TEST_P(AbsoluteGolden, AgreesWithChainer) {
  check_case([](const Variables& in) { return absolute(in[0]); });
}
INSTANTIATE_TEST_SUITE_P(
    Absolute, AbsoluteGolden,
    testing::every_device_and_case("functions/math/absolute"),
    testing::golden_device_name);

class AbsoluteTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Absolute, AbsoluteTest, testing::every_device(),
                         testing::device_name);

TEST_P(AbsoluteTest, HasGradientsKeepsDtypesAndRejectsOthers) {
  testing::check_elementwise_function(absolute, {.low = 0.2, .mirrored = true});
}

TEST_P(AbsoluteTest, GradientIsZeroAtZero) {
  const Variable x(array::zeros({2}));
  const Variable y = abs(x);
  y.set_grad(array::ones({2}));
  y.backward();
  EXPECT_THAT(x.grad(), testing::IsArray(array::zeros({2})));
}

}  // namespace
}  // namespace catena::functions
