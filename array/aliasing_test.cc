#include "catena/array/aliasing.h"

#include <gtest/gtest.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/from_data.h"
#include "catena/array/index.h"
#include "catena/tests/testing/device_test.h"

namespace catena::array {
namespace {

class AliasingDeviceTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, AliasingDeviceTest, testing::every_device(),
                         testing::device_name);

TEST_P(AliasingDeviceTest, ArraysShareMemoryWhenTheirBytesMeet) {
  const Array a = arange(10);
  EXPECT_TRUE(may_share_memory(a, a));
  EXPECT_TRUE(may_share_memory(a[{Slice(0, 6)}], a[{Slice(5, 10)}]));
  EXPECT_FALSE(may_share_memory(a[{Slice(0, 5)}], a[{Slice(5, 10)}]));
  EXPECT_TRUE(may_share_memory(a[{Slice({}, {}, -1)}], a[{Slice(0, 1)}]));
  EXPECT_FALSE(may_share_memory(a[{Slice(4, {}, -1)}], a[{Slice(5, 10)}]));
  EXPECT_FALSE(may_share_memory(a, a.copy()));
  EXPECT_FALSE(may_share_memory(a, a[{Slice(3, 3)}]));
  // Bounds only: the elements in between are distinct.
  EXPECT_TRUE(may_share_memory(a[{Slice(0, 10, 2)}], a[{Slice(1, 10, 2)}]));
}

TEST_P(AliasingDeviceTest, TheSameWalkOverTheSameMemoryIsNoOverlap) {
  const Array a = arange(9).reshape({3, 3});
  EXPECT_FALSE(overlaps(a, a));
  EXPECT_FALSE(overlaps(a.T(), a.T()));
  EXPECT_TRUE(overlaps(a, a.T()));
  EXPECT_TRUE(overlaps(a[0], a));
  EXPECT_FALSE(overlaps(a[0], a[1]));
}

TEST(AliasingTest, ForeignMemoryIsComparedByAddress) {
  float values[8] = {};
  const auto at = [&values](int64_t first) {
    return from_data(values + first, {4}, Dtype::kFloat32);
  };
  EXPECT_TRUE(overlaps(at(0), at(1)));
  EXPECT_FALSE(overlaps(at(0), at(0)));
  EXPECT_FALSE(overlaps(at(0), at(4)));
}

TEST(AliasingTest, OnlyDistinctElementsAreWritable) {
  check_writable(zeros({2, 3}).T(), "test");
  check_writable(zeros({1}).broadcast_to({1, 1}), "test");
  EXPECT_THROW(check_writable(zeros({1}).broadcast_to({2}), "test"),
               ValueError);
}

}  // namespace
}  // namespace catena::array
