#include "catena/array/channels_last.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/image_order.h"
#include "catena/array/index.h"
#include "catena/array/manipulation/axes.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::array {
namespace {

using ::catena::testing::IsArray;

class ChannelsLastTest : public testing::DeviceTest {
 protected:
  static Array images(const Shape& shape) {
    return arange(size_of(shape), Dtype::kFloat32).reshape(shape);
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, ChannelsLastTest, testing::every_device(),
                         testing::device_name);

TEST_P(ChannelsLastTest, TurnsImages) {
  for (const Shape& shape :
       {Shape{2, 5, 3, 4}, Shape{2, 5, 3}, Shape{2, 5, 3, 2, 4}, Shape{3, 4},
        Shape{5, 3, 1, 1}, Shape{4, 1, 5, 5}, Shape{0, 3, 4, 4}}) {
    SCOPED_TRACE(to_string(shape));
    const Array x = images(shape);
    const Array reordered = in_channels_last(x);
    EXPECT_THAT(reordered, IsArray(x));
    EXPECT_TRUE(is_channels_last(reordered));
    EXPECT_TRUE(channels_moved_last(reordered).is_contiguous());
    EXPECT_TRUE(in_channels_last(reordered).is_same(reordered));
    EXPECT_TRUE(is_channels_last(
        empty_channels_last(shape, Dtype::kFloat16, device())));
  }
  EXPECT_FALSE(is_channels_last(images({2, 5, 3, 4})));
  EXPECT_FALSE(is_channels_last(images({6})));
}

TEST_P(ChannelsLastTest, NeedsChannels) {
  EXPECT_THAT(::catena::testing::error_of<ShapeError>(
                  [&] { in_channels_last(images({6})); }),
              "in_channels_last: expected 2 or more axes, got shape (6,)");
  EXPECT_THROW(empty_channels_last({6}, Dtype::kFloat32, device()), ShapeError);
}

// On GPUs, in the order of the first operand that has the result's shape.
TEST_P(ChannelsLastTest, UfuncsAndCastsKeepTheOrder) {
  const bool keeps = !device().is_native();
  const Array x = images({2, 5, 3, 4});
  const Array reordered = in_channels_last(x);
  EXPECT_EQ(keeps_channels_last(reordered), keeps);
  const Array bias = images({5, 1, 1});
  for (const auto& [result, expected] :
       {std::pair(reordered + 1.0, x + 1.0),
        std::pair(bias + reordered, bias + x), std::pair(reordered * x, x * x),
        std::pair(reordered.astype(Dtype::kInt32), x.astype(Dtype::kInt32))}) {
    EXPECT_THAT(result, IsArray(expected));
    EXPECT_EQ(is_channels_last(result), keeps);
    EXPECT_EQ(result.is_contiguous(), !keeps);
  }
  EXPECT_TRUE((x * reordered).is_contiguous());
  EXPECT_TRUE(reordered.copy().is_contiguous());
}

TEST_P(ChannelsLastTest, PartsOfImagesKeepIt) {
  const bool keeps = !device().is_native();
  const Array x = images({4, 6, 3, 4});
  const Array reordered = in_channels_last(x);
  const std::vector<Index> parts[] = {
      {Slice(1, 3)},
      {Slice(), Slice(2, 5)},
      {Slice(), Slice(), Slice(1, 3), Slice(0, 2)}};
  for (const std::vector<Index>& part : parts) {
    const Array some = -basic_index(reordered, part);
    EXPECT_THAT(some, IsArray(-basic_index(x, part)));
    EXPECT_EQ(is_channels_last(some), keeps);
  }
  // Those of other orders do not.
  EXPECT_FALSE(keeps_channels_last(reordered.swapaxes(2, 3)));
  EXPECT_FALSE(keeps_channels_last(reordered.swapaxes(0, 2)));
  EXPECT_FALSE(keeps_channels_last(x.swapaxes(0, 1)));
}

}  // namespace
}  // namespace catena::array
