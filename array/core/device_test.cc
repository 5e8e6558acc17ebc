#include "catena/array/core/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "catena/array/core/backend.h"
#include "catena/array/core/error.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

TEST(DeviceTest, NamesGoThereAndBack) {
  for (const Device device :
       {native_device(), native_device(63), cuda_device(), cuda_device(7)}) {
    EXPECT_EQ(Device::parse(device.name()), device);
  }
  EXPECT_EQ(Device::parse("native"), native_device(0));
  EXPECT_EQ(Device::parse("cuda"), cuda_device(0));
  EXPECT_EQ(to_string(native_device(2)), "native:2");
}

TEST(DeviceTest, OtherTextIsRefused) {
  for (const char* name : {"", "cpu", "native:", "native:x", "cuda:-1",
                           "cuda:64", "cuda:1 ", "native:99999999999", ":0"}) {
    EXPECT_THAT(error_of<DeviceError>([&] { Device::parse(name); }),
                HasSubstr("got '" + std::string(name) + "'"));
  }
}

TEST(DeviceTest, AScopeMakesADeviceCurrentForABlock) {
  EXPECT_EQ(current_device(), native_device());
  {
    const DeviceScope outer(native_device(1));
    EXPECT_EQ(current_device(), native_device(1));
    {
      const DeviceScope inner(native_device(2));
      EXPECT_EQ(current_device(), native_device(2));
    }
    EXPECT_EQ(current_device(), native_device(1));
  }
  EXPECT_EQ(current_device(), native_device());
}

TEST(DeviceTest, EachThreadHasItsOwnCurrentDevice) {
  const DeviceScope scope(native_device(1));
  Device seen;
  std::thread([&] { seen = current_device(); }).join();
  EXPECT_EQ(seen, native_device(0));
}

TEST(DeviceTest, ADeviceThatDoesNotExistIsRefusedAndChangesNothing) {
  EXPECT_THAT(
      error_of<DeviceError>([] { set_current_device(native_device(64)); }),
      "set_current_device: device native:64 does not exist; "
      "native has 64 devices");
  EXPECT_EQ(current_device(), native_device());
}

TEST(DeviceTest, AnIndexBeyond16BitsIsThatOfNoDevice) {
  EXPECT_THAT(
      error_of<DeviceError>([] { set_current_device(native_device(1 << 16)); }),
      "set_current_device: device native:32767 does not exist; "
      "native has 64 devices");
  EXPECT_EQ(native_device(-(1 << 16)).index(), -(1 << 15));
}

TEST(DeviceTest, CudaThatIsNotLinkedIsRefusedWithTheTargetToAdd) {
  if (backend_table(Backend::kCuda) != nullptr) {
    GTEST_SKIP() << "CUDA is linked, by --config=cuda";
  }
  EXPECT_THAT(error_of<DeviceError>([] { synchronize(cuda_device()); }),
              "synchronize: device cuda:0 needs the CUDA backend, which "
              "is not linked; build with --config=cuda; outside of "
              "catena's repository, with this line in .bazelrc: "
              "build:cuda --define=catena_cuda=true");
  EXPECT_THROW(DeviceScope{cuda_device()}, DeviceError);
}

}  // namespace
}  // namespace catena
