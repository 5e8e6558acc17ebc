#include "catena/array/manipulation/axes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/manipulation/broadcast.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

namespace xp = catena::array;
using ::catena::testing::error_of;
using catena::testing::IsArray;

class AxesTest : public catena::testing::DeviceTest {};

TEST_P(AxesTest, RollaxisMovesAnAxisBeforeAnother) {
  const Array a = xp::zeros({3, 4, 5, 6});
  EXPECT_EQ(xp::rollaxis(a, 3, 1).shape(), Shape({3, 6, 4, 5}));
  EXPECT_EQ(xp::rollaxis(a, 2).shape(), Shape({5, 3, 4, 6}));
  EXPECT_EQ(xp::rollaxis(a, 1, 4).shape(), Shape({3, 5, 6, 4}));
  EXPECT_EQ(xp::rollaxis(a, -4, -1).shape(), Shape({4, 5, 3, 6}));
  EXPECT_EQ(xp::rollaxis(a, 1).storage(), a.storage());
  EXPECT_THROW(xp::rollaxis(a, 4), IndexError);
  EXPECT_THROW(xp::rollaxis(a, 0, 5), IndexError);
}

TEST_P(AxesTest, MoveaxisKeepsTheOrderOfTheOthers) {
  const Array a = xp::zeros({3, 4, 5});
  EXPECT_EQ(xp::moveaxis(a, 0, -1).shape(), Shape({4, 5, 3}));
  EXPECT_EQ(xp::moveaxis(a, -1, 0).shape(), Shape({5, 3, 4}));
  EXPECT_EQ(xp::moveaxis(a, Axes{0, 1}, Axes{-1, -2}).shape(),
            Shape({5, 4, 3}));
  EXPECT_EQ(xp::moveaxis(a, Axes{}, Axes{}).shape(), a.shape());
  EXPECT_THAT(error_of<ValueError>([&] {
                xp::moveaxis(a, Axes{0, 1}, Axes{0});
              }),
              "moveaxis: expected as many axes as destinations, got (0, 1) "
              "and (0,)");
  EXPECT_THROW(xp::moveaxis(a, Axes{0, 0}, Axes{0, 1}), ValueError);
  EXPECT_THROW(xp::moveaxis(a, 3, 0), IndexError);
}

TEST_P(AxesTest, SwapaxesIsAViewAndItsOwnInverse) {
  const Array a = xp::arange(24).reshape({2, 3, 4});
  const Array swapped = xp::swapaxes(a, 0, -1);
  EXPECT_EQ(swapped.shape(), Shape({4, 3, 2}));
  EXPECT_EQ((swapped[{3, 1, 0}].item<int64_t>()), 7);
  EXPECT_THAT(xp::swapaxes(swapped, 2, 0), IsArray(a));
  EXPECT_EQ(swapped.storage(), a.storage());
  EXPECT_THROW(xp::swapaxes(a, 0, 3), IndexError);
}

TEST_P(AxesTest, AtLeastSoManyAxes) {
  const Array number = xp::array(1);
  const Array row = xp::zeros({4});
  const Array matrix = xp::zeros({2, 3});
  EXPECT_EQ(xp::atleast_1d(number).shape(), Shape({1}));
  EXPECT_EQ(xp::atleast_2d(number).shape(), Shape({1, 1}));
  EXPECT_EQ(xp::atleast_3d(number).shape(), Shape({1, 1, 1}));
  EXPECT_EQ(xp::atleast_2d(row).shape(), Shape({1, 4}));
  EXPECT_EQ(xp::atleast_3d(row).shape(), Shape({1, 4, 1}));
  EXPECT_EQ(xp::atleast_3d(matrix).shape(), Shape({2, 3, 1}));
  EXPECT_TRUE(xp::atleast_1d(row).is_same(row));
  const std::vector<Array> both = xp::atleast_2d({row, matrix});
  EXPECT_EQ(both[0].shape(), Shape({1, 4}));
  EXPECT_EQ(both[1].shape(), Shape({2, 3}));
}

TEST_P(AxesTest, FortranOrderIsKeptOrMade) {
  const Array a = xp::arange(6).reshape({2, 3});
  const Array f = xp::asfortranarray(a);
  EXPECT_THAT(f, IsArray(a));
  EXPECT_TRUE(f.T().is_contiguous());
  EXPECT_TRUE(xp::asfortranarray(f).is_same(f));
  EXPECT_THAT(xp::asfortranarray(a, Dtype::kFloat32),
              IsArray(a.astype(Dtype::kFloat32)));
  EXPECT_TRUE(xp::asfortranarray(a, Dtype::kFloat32).T().is_contiguous());
}

TEST_P(AxesTest, BroadcastSaysWhatArraysHaveInCommon) {
  const Array a = xp::arange(3).reshape({3, 1});
  const Array b = xp::arange(4);
  const xp::Broadcast both{a, b};
  EXPECT_EQ(both.shape(), Shape({3, 4}));
  EXPECT_EQ(both.nd(), 2);
  EXPECT_EQ(both.size(), 12);
  ASSERT_EQ(both.values().size(), 2u);
  EXPECT_THAT(both.values()[0], IsArray(a.broadcast_to({3, 4})));
  EXPECT_EQ(xp::broadcast_arrays({a, b})[1].storage(), b.storage());
  EXPECT_THROW((xp::Broadcast{xp::zeros({2}), xp::zeros({3})}), ShapeError);
}

INSTANTIATE_TEST_SUITE_P(All, AxesTest, catena::testing::every_device(),
                         catena::testing::device_name);

}  // namespace
}  // namespace catena
