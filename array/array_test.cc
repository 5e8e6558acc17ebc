#include "catena/array/array.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <type_traits>
#include <utility>

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
using ::testing::HasSubstr;

class ArrayTest : public catena::testing::DeviceTest {};

TEST_P(ArrayTest, DescribesItself) {
  const Array a = xp::empty({2, 3, 4}, Dtype::kInt16);
  EXPECT_EQ(a.dtype(), Dtype::kInt16);
  EXPECT_EQ(a.shape(), Shape({2, 3, 4}));
  EXPECT_EQ(a.strides(), Shape({24, 8, 2}));
  EXPECT_EQ(a.ndim(), 3);
  EXPECT_EQ(a.size(), 24);
  EXPECT_EQ(a.itemsize(), 2);
  EXPECT_EQ(a.nbytes(), 48);
  EXPECT_EQ(a.device(), device());
  EXPECT_TRUE(a.is_contiguous());
  EXPECT_TRUE(a.defined());
}

// A temporary cannot be assigned to, but what an index selects can.
static_assert(!std::is_assignable_v<Array, Array>);
static_assert(!std::is_assignable_v<Array, const Array&>);
static_assert(std::is_assignable_v<Array&, Array>);
static_assert(std::is_assignable_v<Array::View, const Array&>);
// What a temporary refers to does not outlive it, so it is copied.
static_assert(std::is_same_v<decltype(std::declval<Array>().shape()), Shape>);
static_assert(
    std::is_same_v<decltype(std::declval<Array&>().shape()), const Shape&>);

TEST_P(ArrayTest, KnowsBothContiguousOrders) {
  const Array a = xp::zeros({2, 3});
  EXPECT_TRUE(a.is_contiguous());
  EXPECT_FALSE(a.is_f_contiguous());
  EXPECT_TRUE(a.T().is_f_contiguous());
  EXPECT_FALSE(a.T().is_contiguous());
  EXPECT_TRUE(xp::zeros({3}).is_f_contiguous());
  EXPECT_TRUE(xp::zeros({1, 3, 1}).is_f_contiguous());
  EXPECT_FALSE((a[{Slice(), Slice({}, {}, 2)}].T().is_f_contiguous()));
}

TEST_P(ArrayTest, AssigningToAnIndexWritesToTheArray) {
  Array x = xp::zeros({2, 3});
  x[0] = xp::ones({3});
  x[{1, Slice(1, 3)}] = 5;
  EXPECT_THAT(x, IsArray(xp::array({{1.0, 1.0, 1.0}, {0.0, 5.0, 5.0}})));
  x[0] = x[1];
  EXPECT_THAT(x[0], IsArray(xp::array({0.0, 5.0, 5.0})));
  auto row = x[0];
  row = xp::ones({3});  // names another array, as in Python
  EXPECT_THAT(x[0], IsArray(xp::array({0.0, 5.0, 5.0})));
  EXPECT_THAT(row, IsArray(xp::ones({3})));
  EXPECT_THAT(error_of<ShapeError>([&] { x[0] = xp::ones({2}); }),
              HasSubstr("(2,)"));
}

TEST_P(ArrayTest, EmptyDefaultsToFloat64) {
  EXPECT_EQ(xp::empty({2}).dtype(), Dtype::kFloat64);
  const Array a = xp::zeros({2, 3}, Dtype::kInt8);
  EXPECT_EQ(xp::empty_like(a).dtype(), Dtype::kInt8);
  EXPECT_EQ(xp::empty_like(a).shape(), a.shape());
  EXPECT_EQ(xp::empty_like(a, Dtype::kBool).dtype(), Dtype::kBool);
}

TEST_P(ArrayTest, ZeroDimensionalAndZeroSizeArraysExist) {
  const Array scalar = xp::empty({});
  EXPECT_EQ(scalar.size(), 1);
  EXPECT_EQ(scalar.ndim(), 0);
  const Array none = xp::empty({3, 0, 2});
  EXPECT_EQ(none.size(), 0);
  EXPECT_TRUE(none.is_contiguous());
}

TEST_P(ArrayTest, ItemIsTheOnlyElementCast) {
  EXPECT_EQ(xp::full({}, 2.75).item<double>(), 2.75);
  EXPECT_EQ(xp::full({1, 1}, 2.75).item<int>(), 2);
  EXPECT_EQ(xp::full({1}, -1, Dtype::kInt8).item<int64_t>(), -1);
  EXPECT_EQ(xp::full({}, true).item<bool>(), true);
  EXPECT_EQ(xp::full({}, 1.5, Dtype::kFloat16).item<float>(), 1.5f);
}

TEST_P(ArrayTest, ItemOfMoreOrFewerElementsIsRefused) {
  EXPECT_THAT(error_of<ShapeError>([] {
                xp::zeros({2, 1}).item<double>();
              }),
              "Array::item: expected exactly one "
              "element, got shape (2, 1)");
  EXPECT_THROW(xp::zeros({0}).item<double>(), ShapeError);
}

TEST_P(ArrayTest, TypedDataWantsTheDtype) {
  const Array a = xp::zeros({2}, Dtype::kFloat32);
  EXPECT_EQ(static_cast<void*>(a.data<float>()), a.raw_data());
  EXPECT_THAT(error_of<DtypeError>([&] { a.data<double>(); }),
              "Array::data: expected dtype float64, got float32");
}

TEST_P(ArrayTest, HandlesShareTheArray) {
  const Array a = xp::zeros({3});
  EXPECT_EQ(a.use_count(), 1);
  Array b;
  b = a;
  EXPECT_TRUE(a.is_same(b));
  EXPECT_EQ(a.use_count(), 2);
  b.fill(7);
  EXPECT_THAT(a, IsArray(xp::full({3}, 7.0)));
}

TEST_P(ArrayTest, AViewCountsAsAUserOfTheMemory) {
  const Array a = xp::zeros({3});
  const Array view = a[{Slice(1, 2)}];
  EXPECT_FALSE(a.is_same(view));
  EXPECT_EQ(a.use_count(), 2);
  EXPECT_EQ(view.storage(), a.storage());
}

TEST(UndefinedArrayTest, EveryUseIsRefused) {
  const Array a;
  EXPECT_FALSE(a.defined());
  const auto throws = [](auto use) {
    EXPECT_THAT(error_of<ValueError>(use),
                "Array: expected a defined array, got an undefined "
                "one (default-constructed or moved from)");
  };
  throws([&] { a.dtype(); });
  throws([&] { a.shape(); });
  throws([&] { a.device(); });
  throws([&] { a.raw_data(); });
  throws([&] { a.use_count(); });
  throws([&] { a.copy(); });
  throws([&] { a.fill(1); });
  throws([&] { a.assign(xp::zeros({})); });
  throws([&] { xp::zeros({}).assign(a); });
  throws([&] { a[0]; });
  throws([&] { a.T(); });
  throws([&] { a.reshape({1}); });
  throws([&] { a + 1; });
  throws([&] { xp::zeros({1}) + a; });
  Array moved_from = xp::zeros({1});
  const Array taken = std::move(moved_from);
  // NOLINTNEXTLINE(bugprone-use-after-move): what it does then is tested.
  throws([&] { moved_from.size(); });
  EXPECT_EQ(taken.size(), 1);
}

TEST(EmptyTest, BadShapesAreRefusedBeforeAnythingIsAllocated) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  const int64_t before = cpu::memory_pool_statistics().used_bytes;
  EXPECT_THAT(error_of<ShapeError>([] {
                xp::empty({2, -1});
              }),
              "empty: expected extents of at least 0, got (2, -1)");
  EXPECT_THAT(error_of<ShapeError>([] {
                xp::empty({kMax, 2}, Dtype::kInt8);
              }),
              HasSubstr("exceeds the address space"));
  EXPECT_THROW(xp::empty({kMax}, Dtype::kInt8), OutOfMemoryError);
  EXPECT_THROW(xp::empty({kMax / 8}), OutOfMemoryError);
  EXPECT_THROW(xp::empty({int64_t{1} << 50}, Dtype::kInt8), OutOfMemoryError);
  EXPECT_EQ(cpu::memory_pool_statistics().used_bytes, before);
}

TEST(EmptyTest, TheDeviceIsTheCurrentOneUnlessSaid) {
  const DeviceScope scope(native_device(2));
  EXPECT_EQ(xp::empty({1}).device(), native_device(2));
  EXPECT_EQ(xp::empty({1}, Dtype::kInt8, native_device(1)).device(),
            native_device(1));
  EXPECT_THROW(xp::empty({1}, Dtype::kInt8, native_device(64)), DeviceError);
}

TEST(ArrayLifetimeTest, NothingLeaksThroughHandlesAndViews) {
  const int64_t before = cpu::memory_pool_statistics().used_bytes;
  {
    Array a = xp::zeros({100, 100});
    Array b = a.T()[{Slice(3, 50), 2}].reshape({-1});
    a = b;
    b = Array();
    EXPECT_EQ(a.size(), 47);
  }
  EXPECT_EQ(cpu::memory_pool_statistics().used_bytes, before);
}

INSTANTIATE_TEST_SUITE_P(All, ArrayTest, catena::testing::every_device(),
                         catena::testing::device_name);

}  // namespace
}  // namespace catena
