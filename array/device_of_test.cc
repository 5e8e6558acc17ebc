#include "catena/array/device_of.h"

#include <gtest/gtest.h>

#include <map>
#include <type_traits>

#include "catena/array/core/device_order.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"

namespace catena {
namespace {

TEST(DeviceOrderTest, GoesByBackendAndIndex) {
  EXPECT_LT(native_device(0), native_device(1));
  EXPECT_LT(native_device(9), cuda_device(0));
  EXPECT_LE(cuda_device(1), cuda_device(1));
  EXPECT_GT(cuda_device(2), cuda_device(1));
  EXPECT_GE(cuda_device(0), native_device(63));
  EXPECT_EQ(cuda_device(3), cuda_device(3));
  EXPECT_NE(cuda_device(0), native_device(0));
  EXPECT_EQ(cuda_device(3).index(), 3);
}

TEST(DeviceOrderTest, ADeviceIsAKey) {
  std::map<Device, int> counts;
  ++counts[cuda_device(1)];
  ++counts[native_device()];
  ++counts[cuda_device(1)];
  EXPECT_EQ(counts.begin()->first, native_device());
  EXPECT_EQ(counts.at(cuda_device(1)), 2);
}

template <class T>
concept TellsADevice = requires(T value) {
  get_device(value);
};

TEST(GetDeviceTest, TakesIndexesArraysAndDevices) {
  EXPECT_EQ(get_device(2), cuda_device(2));
  EXPECT_EQ(get_device(-1), native_device());
  EXPECT_EQ(get_device(std::nullopt), native_device());
  EXPECT_EQ(get_device(array::zeros({1}).to_device(native_device(3))),
            native_device(3));
  EXPECT_EQ(get_device(cuda_device(1)), cuda_device(1));
  static_assert(TellsADevice<int> && !TellsADevice<bool>);
}

TEST(GetDeviceTest, FromIdGivesTheHostForNone) {
  EXPECT_EQ(get_device_from_id(0), cuda_device(0));
  EXPECT_EQ(get_device_from_id(std::nullopt), native_device());
  const DeviceScope scope(get_device_from_id(std::nullopt));
  EXPECT_EQ(current_device(), native_device());
}

TEST(GetDeviceTest, FromArraysTheFirstDecidesWithoutAGpu) {
  const Array a = array::zeros({1});
  const Array b = a.to_device(native_device(1));
  EXPECT_EQ(get_device_from_array(b, a), native_device(1));
  EXPECT_EQ(get_device_from_array(a, b), native_device(0));
  EXPECT_EQ(get_device_from_array(), native_device());
  EXPECT_THROW(get_device_from_array(Array()), ValueError);
}

}  // namespace
}  // namespace catena
