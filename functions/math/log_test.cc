#include "catena/functions/math/log.h"

#include <gmock/gmock.h>

#include "catena/tests/support/function_golden.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

class LogGolden : public testing::FunctionGoldenTest {};
TEST_P(LogGolden, AgreesWithChainer) {
  check_case([](const Variables& in) { return functions::log(in[0]); });
}
INSTANTIATE_TEST_SUITE_P(Log, LogGolden,
                         testing::every_device_and_case("functions/math/log"),
                         testing::golden_device_name);

class Log2Golden : public testing::FunctionGoldenTest {};
TEST_P(Log2Golden, AgreesWithChainer) {
  check_case([&](const Variables& in) { return functions::log2(in[0]); });
}
INSTANTIATE_TEST_SUITE_P(Cases, Log2Golden,
                         testing::every_device_and_case("functions/math/log2"),
                         testing::golden_device_name);

class Log10Golden : public testing::FunctionGoldenTest {};
TEST_P(Log10Golden, AgreesWithChainer) {
  check_case([&](const Variables& in) { return functions::log10(in[0]); });
}
INSTANTIATE_TEST_SUITE_P(Cases, Log10Golden,
                         testing::every_device_and_case("functions/math/log10"),
                         testing::golden_device_name);

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
