#include "catena/tests/testing/device_test.h"

#include "catena/array/core/backend.h"
#include "catena/tests/testing/gpu_limit.h"

namespace catena::testing {
namespace {

std::string name_of(Device device) {
  std::string name = device.name();
  std::erase(name, ':');
  return name;
}

bool is_there(Device device) {
  const int found = backend_table(device.backend())->device_count();
  return device.index() < (device.is_native() ? found : gpus_for_tests(found));
}

}  // namespace

void DeviceGuardedTest::enter(Device device) {
  if (!is_there(device)) {
    GTEST_SKIP() << device
                 << " is not there: no GPU or no driver, or "
                    "CHAINER_TEST_GPU_LIMIT excludes it";
  }
  set_current_device(device);
}

void DeviceGuardedTest::prepare(Device device) {
  if (is_there(device)) set_current_device(device);
}

std::vector<Device> test_devices() {
  std::vector<Device> devices = {native_device()};
  if (backend_table(Backend::kCuda) != nullptr) {
    devices.push_back(cuda_device());
  }
  return devices;
}

std::vector<Dtype> all_dtypes() {
  std::vector<Dtype> dtypes;
  for (int i = 0; i < kDtypeCount; ++i) {
    dtypes.push_back(static_cast<Dtype>(i));
  }
  return dtypes;
}

std::vector<Dtype> float_dtypes() {
  return {Dtype::kFloat16, Dtype::kBFloat16, Dtype::kFloat32, Dtype::kFloat64};
}

std::string device_name(const ::testing::TestParamInfo<Device>& info) {
  return name_of(info.param);
}

std::string device_dtype_name(
    const ::testing::TestParamInfo<DeviceDtype>& info) {
  return name_of(std::get<Device>(info.param)) + "_" +
         to_string(std::get<Dtype>(info.param));
}

}  // namespace catena::testing
