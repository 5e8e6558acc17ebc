#include "catena/functions/math/sqrt.h"

#include <gmock/gmock.h>

#include "catena/tests/support/function_golden.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

class SqrtGolden : public testing::FunctionGoldenTest {};
TEST_P(SqrtGolden, AgreesWithChainer) {
  check_case([](const Variables& in) { return functions::sqrt(in[0]); });
}
INSTANTIATE_TEST_SUITE_P(Sqrt, SqrtGolden,
                         testing::every_device_and_case("functions/math/sqrt"),
                         testing::golden_device_name);

class RsqrtGolden : public testing::FunctionGoldenTest {};
TEST_P(RsqrtGolden, AgreesWithChainer) {
  check_case([&](const Variables& in) { return rsqrt(in[0]); });
}
INSTANTIATE_TEST_SUITE_P(Cases, RsqrtGolden,
                         testing::every_device_and_case("functions/math/rsqrt"),
                         testing::golden_device_name);

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
