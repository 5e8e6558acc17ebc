#include "catena/array/manipulation/copyto.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

namespace xp = catena::array;
using ::catena::testing::error_of;
using catena::testing::IsArray;

class CopytoTest : public catena::testing::DeviceTest {};

TEST_P(CopytoTest, TheSourceBroadcasts) {
  const Array a = xp::zeros({2, 3}, Dtype::kFloat32);
  xp::copyto(a, xp::array({1, 2, 3}, Dtype::kInt8));
  EXPECT_THAT(a, IsArray(xp::array({{1, 2, 3}, {1, 2, 3}}, Dtype::kFloat32)));
  xp::copyto(a[0], 7);
  EXPECT_THAT(a, IsArray(xp::array({{7, 7, 7}, {1, 2, 3}}, Dtype::kFloat32)));
}

TEST_P(CopytoTest, OnlyWhereTheMaskHolds) {
  const Array a = xp::arange(6).reshape({2, 3});
  xp::copyto(a, xp::array({{-1}, {-2}}),
             {.where = xp::array({true, false, true})});
  EXPECT_THAT(a, IsArray(xp::array({{-1, 1, -1}, {-2, 4, -2}})));
  xp::copyto(a, 1.5, {.casting = Casting::kUnsafe, .where = xp::array(true)});
  EXPECT_THAT(a, IsArray(xp::ones({2, 3}, Dtype::kInt64)));
}

TEST_P(CopytoTest, TheSourceMayBeOnAnotherDevice) {
  const Array a = xp::zeros({2, 2}, Dtype::kFloat32);
  const Array b = xp::array({1, 2}, Dtype::kInt8, native_device(1));
  xp::copyto(a, b);
  EXPECT_THAT(a, IsArray(xp::array({{1, 2}, {1, 2}}, Dtype::kFloat32)));
  xp::copyto(a, b * b, {.where = xp::array({false, true})});
  EXPECT_THAT(a, IsArray(xp::array({{1, 4}, {1, 4}}, Dtype::kFloat32)));
  xp::copyto(b, a[0], {.casting = Casting::kUnsafe});
  EXPECT_EQ(b.to_vector<int>(), (std::vector<int>{1, 4}));
  EXPECT_THROW(xp::copyto(b, 1, {.where = xp::array({false, true})}),
               DeviceError);
}

TEST_P(CopytoTest, CastsAreThoseThatAreAllowed) {
  const Array a = xp::zeros({2}, Dtype::kInt32);
  EXPECT_THAT(error_of<DtypeError>([&] {
                xp::copyto(a, xp::array({1.5, 2.5}));
              }),
              "copyto: expected a cast that 'same_kind' allows, got "
              "float64 to int32");
  EXPECT_THROW(xp::copyto(a, 1.5), DtypeError);
  EXPECT_THROW(xp::copyto(a, xp::array({1, 2}), {.casting = Casting::kSafe}),
               DtypeError);
  EXPECT_THAT(a, IsArray(xp::zeros({2}, Dtype::kInt32)));
  xp::copyto(a, xp::array({1, 2}));
  xp::copyto(a[{Slice(0, 1)}], xp::array({3.9}), {.casting = Casting::kUnsafe});
  EXPECT_THAT(a, IsArray(xp::array({3, 2}, Dtype::kInt32)));
}

TEST_P(CopytoTest, WhatDoesNotFitIsRefused) {
  const Array a = xp::zeros({2});
  EXPECT_THAT(error_of<ShapeError>([&] {
                xp::copyto(a, xp::zeros({2, 2}));
              }),
              "copyto: expected a source that "
              "broadcasts to (2,), got shape "
              "(2, 2)");
  EXPECT_THROW(xp::copyto(a, 1, {.where = xp::zeros({2})}), DtypeError);
  EXPECT_THROW(xp::copyto(a, 1, {.where = xp::zeros({1, 2}, Dtype::kBool)}),
               ShapeError);
  EXPECT_THROW(xp::copyto(xp::zeros({1}).broadcast_to({2}), 1), ValueError);
}

INSTANTIATE_TEST_SUITE_P(All, CopytoTest, catena::testing::every_device(),
                         catena::testing::device_name);

}  // namespace
}  // namespace catena
