#include <gtest/gtest.h>

#include "catena/tests/testing/device_test.h"

namespace catena::testing {
namespace {

class FixtureTest : public DeviceTest {};

TEST_P(FixtureTest, MakesItsDeviceCurrent) {
  EXPECT_EQ(current_device(), device());
}

INSTANTIATE_TEST_SUITE_P(Devices, FixtureTest, every_device(), device_name);
INSTANTIATE_TEST_SUITE_P(SecondNative, FixtureTest,
                         ::testing::Values(native_device(1)), device_name);

class DtypeFixtureTest : public DeviceDtypeTest {};

TEST_P(DtypeFixtureTest, MakesItsDeviceCurrentAndHasADtype) {
  EXPECT_EQ(current_device(), device());
  EXPECT_TRUE(is_floating(dtype()));
}

INSTANTIATE_TEST_SUITE_P(All, DtypeFixtureTest, every_device_and_float_dtype(),
                         device_dtype_name);

// Skips with a message: no machine has that many devices.
class MissingDeviceTest : public DeviceTest {};

TEST_P(MissingDeviceTest, IsSkipped) { FAIL() << "ran on " << device(); }

INSTANTIATE_TEST_SUITE_P(TooMany, MissingDeviceTest,
                         ::testing::Values(native_device(kMaxDevices)),
                         device_name);

TEST(FixtureListTest, TheHostComesFirstAndEveryDtypeOnce) {
  EXPECT_EQ(test_devices().front(), native_device());
  EXPECT_EQ(all_dtypes().size(), static_cast<size_t>(kDtypeCount));
  EXPECT_EQ(float_dtypes().size(), 4u);
}

TEST(FixtureListTest, TheDeviceIsGivenBackAfterwards) {
  EXPECT_EQ(current_device(), native_device());
}

}  // namespace
}  // namespace catena::testing
