#pragma once

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "catena/array/core/device.h"
#include "catena/array/core/dtype.h"

// Fixtures whose parameter is a device, or a device and a dtype:
//
//   class ReluTest : public DeviceDtypeTest {};
//   TEST_P(ReluTest, KeepsTheDtype) { ... array::zeros({3}, dtype()) ... }
//   INSTANTIATE_TEST_SUITE_P(Relu, ReluTest, every_device_and_float_dtype(),
//                            device_dtype_name);
//
// The device is current while a case runs. Cases for cuda:0 exist if CUDA is
// linked, and are skipped without a GPU.
namespace catena::testing {

// Base of the fixtures: makes a device current, or skips.
class DeviceGuardedTest : public ::testing::Test {
 protected:
  // For SetUp.
  void enter(Device device);
  // For constructors, so that a fixture's arrays are on the device: does
  // nothing if it is not there.
  static void prepare(Device device);
  void TearDown() override { set_current_device(native_device()); }
};

// A test with the parameter device.
class DeviceTest : public DeviceGuardedTest,
                   public ::testing::WithParamInterface<Device> {
 protected:
  DeviceTest() { prepare(device()); }
  void SetUp() override { enter(device()); }
  Device device() const { return GetParam(); }
};

// The parameters of DeviceDtypeTest.
using DeviceDtype = std::tuple<Device, Dtype>;

// A test with the parameters device and dtype.
class DeviceDtypeTest : public DeviceGuardedTest,
                        public ::testing::WithParamInterface<DeviceDtype> {
 protected:
  DeviceDtypeTest() { prepare(device()); }
  void SetUp() override { enter(device()); }
  Device device() const { return std::get<Device>(GetParam()); }
  Dtype dtype() const { return std::get<Dtype>(GetParam()); }
};

// native:0, and cuda:0 if CUDA is linked.
std::vector<Device> test_devices();
std::vector<Dtype> all_dtypes();
std::vector<Dtype> float_dtypes();

// For INSTANTIATE_TEST_SUITE_P.
inline auto every_device() { return ::testing::ValuesIn(test_devices()); }
inline auto every_device_and_dtype() {
  return ::testing::Combine(every_device(), ::testing::ValuesIn(all_dtypes()));
}
inline auto every_device_and_float_dtype() {
  return ::testing::Combine(every_device(),
                            ::testing::ValuesIn(float_dtypes()));
}

// The names of parameterized cases: "native0", "cuda0_float32".
std::string device_name(const ::testing::TestParamInfo<Device>& info);
std::string device_dtype_name(
    const ::testing::TestParamInfo<DeviceDtype>& info);

}  // namespace catena::testing
