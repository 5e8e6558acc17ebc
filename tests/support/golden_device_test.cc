#include "catena/tests/support/golden_device_test.h"

namespace catena::testing {

std::vector<GoldenCase> golden_cases_if(
    std::string_view path,
    const std::function<bool(const GoldenCase&)>& wanted) {
  std::vector<GoldenCase> cases = golden_cases(path);
  if (wanted) {
    std::erase_if(cases,
                  [&](const GoldenCase& golden) { return !wanted(golden); });
  }
  return cases;
}

std::string golden_device_name(
    const ::testing::TestParamInfo<GoldenDevice>& info) {
  return golden_case_name({std::get<GoldenCase>(info.param), info.index}) +
         "_" + device_name({std::get<Device>(info.param), info.index});
}

}  // namespace catena::testing
