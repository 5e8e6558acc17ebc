#include "catena/array/manipulation/edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/manipulation/packbits.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

namespace xp = catena::array;
using ::catena::testing::error_of;
using catena::testing::IsArray;

class EditTest : public catena::testing::DeviceTest {};

TEST_P(EditTest, DeletedSlicesAreMissing) {
  const Array a = xp::arange(6).reshape({2, 3});
  EXPECT_THAT(xp::delete_(a, {1, -2}, 1), IsArray(xp::array({{0, 2}, {3, 5}})));
  EXPECT_THAT(xp::delete_(a, {0, 5}), IsArray(xp::array({1, 2, 3, 4})));
  EXPECT_THAT(error_of<IndexError>([&] { xp::delete_(a, {3}, 1); }),
              "delete: index 3 is out of range for axis 1 with extent 3");
}

TEST_P(EditTest, InsertedSlicesStandBeforeTheirIndex) {
  const Array a = xp::array({{1, 2}, {3, 4}});
  EXPECT_THAT(xp::insert(a, {1}, 9, 1),
              IsArray(xp::array({{1, 9, 2}, {3, 9, 4}})));
  EXPECT_THAT(xp::insert(a, {2, 0}, xp::array({{7}, {8}}), 0),
              IsArray(xp::array({{8, 8}, {1, 2}, {3, 4}, {7, 7}})));
  EXPECT_THAT(xp::insert(a, {1, 1, -1}, xp::array({5.5, 6.5, 7.5})),
              IsArray(xp::array({1, 5, 6, 2, 3, 7, 4})));
  EXPECT_THAT(xp::insert(xp::zeros({0}), {0}, 1), IsArray(xp::array({1.})));
  EXPECT_THROW(xp::insert(a, {3}, 0, 0), IndexError);
  EXPECT_THROW(xp::insert(a, {0}, xp::zeros({3}), 0), ShapeError);
}

TEST_P(EditTest, DifferencesOfNeighbours) {
  const Array a = xp::array({{1, 3, 6}, {0, 5, 0}});
  EXPECT_THAT(xp::diff(a), IsArray(xp::array({{2, 3}, {5, -5}})));
  EXPECT_THAT(xp::diff(a, 2), IsArray(xp::array({{1}, {-10}})));
  EXPECT_THAT(xp::diff(a, 1, 0), IsArray(xp::array({{-1, 2, -6}})));
  EXPECT_EQ(xp::diff(a, 5).shape(), Shape({2, 0}));
  EXPECT_THAT(xp::diff(xp::array({true, true, false})),
              IsArray(xp::array({false, true})));
  EXPECT_THROW(xp::diff(a, -1), ValueError);
}

TEST_P(EditTest, BitsComeBackOutOfBytes) {
  const Array a = xp::array({{1, 0, 2}, {0, 0, 1}, {1, 0, 1}});
  const Array packed = xp::packbits(a);
  EXPECT_THAT(packed,
              IsArray(xp::array({0b10100110, 0b10000000}, Dtype::kUInt8)));
  EXPECT_THAT(
      xp::unpackbits(packed),
      IsArray(xp::array({1, 0, 1, 0, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0},
                        Dtype::kUInt8)));
  EXPECT_EQ(xp::packbits(xp::zeros({0}, Dtype::kBool)).shape(), Shape({0}));
  EXPECT_THROW(xp::packbits(xp::zeros({1})), DtypeError);
  EXPECT_THROW(xp::unpackbits(a), DtypeError);
}

INSTANTIATE_TEST_SUITE_P(All, EditTest, catena::testing::every_device(),
                         catena::testing::device_name);

}  // namespace
}  // namespace catena
