#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "catena/array/array.h"
#include "catena/tests/support/golden.h"
#include "catena/tests/testing/device_test.h"

// A fixture whose parameter is a golden case and a device:
//
//   class SumGoldenTest : public GoldenDeviceTest {};
//   TEST_P(SumGoldenTest, Agrees) {
//     EXPECT_THAT(array::sum(array("in0")), IsClose(golden().array("out0")));
//   }
//   INSTANTIATE_TEST_SUITE_P(
//       All, SumGoldenTest, every_device_and_case("array/reductions"),
//       golden_device_name);
namespace catena::testing {

using GoldenDevice = std::tuple<GoldenCase, Device>;

class GoldenDeviceTest : public DeviceGuardedTest,
                         public ::testing::WithParamInterface<GoldenDevice> {
 protected:
  void SetUp() override { enter(device()); }
  const GoldenCase& golden() const { return std::get<GoldenCase>(GetParam()); }
  Device device() const { return std::get<Device>(GetParam()); }
  // A golden array on the device.
  Array array(std::string_view key) const {
    return golden().array(key).to_device(device());
  }
};

// The cases of a golden file for which `wanted` is true; all without it.
std::vector<GoldenCase> golden_cases_if(
    std::string_view path,
    const std::function<bool(const GoldenCase&)>& wanted);

inline auto every_device_and_case(
    std::string_view path,
    const std::function<bool(const GoldenCase&)>& wanted = nullptr) {
  return ::testing::Combine(::testing::ValuesIn(golden_cases_if(path, wanted)),
                            every_device());
}

// "case_native0".
std::string golden_device_name(
    const ::testing::TestParamInfo<GoldenDevice>& info);

}  // namespace catena::testing
