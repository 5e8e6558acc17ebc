#include "catena/array/from_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/core/storage.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

namespace xp = catena::array;
using ::catena::testing::error_of;
using catena::testing::IsArray;
using ::testing::HasSubstr;

TEST(FromDataTest, SharesTheMemory) {
  float values[6] = {1, 2, 3, 4, 5, 6};
  const Array a = xp::from_data(values, {2, 3}, Dtype::kFloat32);
  EXPECT_EQ(a.data<float>(), values);
  a[1].fill(0);
  EXPECT_EQ(values[3], 0);
  values[0] = 9;
  EXPECT_EQ((a[{0, 0}]).item<float>(), 9);
  EXPECT_EQ(a.device(), native_device());
}

TEST(FromDataTest, KeepsTheOwnerAliveThroughEveryView) {
  auto owner = std::make_shared<std::vector<double>>(4, 1.5);
  Array a =
      xp::from_data(owner->data(), {4}, Dtype::kFloat64, {.owner = owner});
  Array view = a[{Slice(1, 3)}];
  a = Array();
  EXPECT_EQ(owner.use_count(), 2);
  EXPECT_THAT(view, IsArray(xp::full({2}, 1.5)));
  view = Array();
  EXPECT_EQ(owner.use_count(), 1);
}

TEST(FromDataTest, ADeleterRunsWhenTheLastArrayGoes) {
  int freed = 0;
  int32_t value = 3;
  {
    const Array a = xp::from_data(
        &value, {}, Dtype::kInt32,
        {.owner = std::shared_ptr<void>(&value, [&](void*) { ++freed; })});
    EXPECT_EQ(a.item<int>(), 3);
    EXPECT_EQ(freed, 0);
  }
  EXPECT_EQ(freed, 1);
}

TEST(FromDataTest, ABorrowedTemporaryIsNeverReusedForAResult) {
  double values[3] = {1, 2, 3};
  const Array sum = xp::from_data(values, {3}, Dtype::kFloat64) + 1;
  EXPECT_THAT(sum, IsArray(xp::array({2.0, 3.0, 4.0})));
  EXPECT_EQ(values[0], 1);
}

TEST(FromDataTest, TakesAnyStrides) {
  int32_t values[6] = {1, 2, 3, 4, 5, 6};
  EXPECT_THAT(
      xp::from_data(values, {3, 2}, Dtype::kInt32, {.strides = Strides{4, 12}}),
      IsArray(xp::array({{1, 4}, {2, 5}, {3, 6}}, Dtype::kInt32)));
  const Array back =
      xp::from_data(values + 5, {6}, Dtype::kInt32, {.strides = Strides{-4}});
  EXPECT_THAT(back, IsArray(xp::array({6, 5, 4, 3, 2, 1}, Dtype::kInt32)));
  EXPECT_EQ(back.storage()->data(), reinterpret_cast<char*>(values));
  EXPECT_EQ(back.storage()->bytes(), 24);
}

TEST(FromDataTest, BadArgumentsAreRefused) {
  alignas(8) char bytes[64] = {};
  const auto make = [&](void* data, const Shape& shape,
                        const xp::FromDataOptions& options = {}) {
    xp::from_data(data, shape, Dtype::kFloat32, options);
  };
  EXPECT_THROW(make(nullptr, {2}), ValueError);
  make(nullptr, {0});
  EXPECT_THROW(make(bytes, {-2}), ShapeError);
  EXPECT_THROW(make(bytes, {int64_t{1} << 62}), ShapeError);
  EXPECT_THAT(error_of<ValueError>([&] { make(bytes + 2, {2}); }),
              HasSubstr("aligned to the 4 bytes of float32"));
  EXPECT_THROW(make(bytes, {2}, {.strides = Strides{6}}), ValueError);
  EXPECT_THAT(error_of<ShapeError>([&] {
                make(bytes, {2}, {.strides = Strides{4, 4}});
              }),
              "from_data: expected a stride for each "
              "axis of shape (2,), got strides "
              "(4, 4)");
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  EXPECT_THROW(make(bytes, {3}, {.strides = Strides{kMin}}), ShapeError);
  EXPECT_THROW(make(bytes, {2, 2}, {.strides = Strides{kMin, kMin}}),
               ShapeError);
  EXPECT_THROW(make(bytes, {2}, {.device = native_device(64)}), DeviceError);
}
}  // namespace
}  // namespace catena
