// Copies, casts, fills and assignments.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "catena/array/array.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/from_data.h"
#include "catena/array/index.h"
#include "catena/tests/support/golden_device_test.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

namespace xp = catena::array;
using ::catena::testing::error_of;
using catena::testing::IsArray;

// The items in C order, collected one by one by strides on the host.
std::string items(const Array& a) {
  const Array host = a.to_device(native_device());
  std::string bytes;
  for (int64_t i = 0; i < a.size(); ++i) {
    const char* at = host.raw_data();
    int64_t rest = i;
    for (int axis = a.ndim() - 1; axis >= 0; --axis) {
      at += rest % a.shape()[axis] * host.strides()[axis];
      rest /= a.shape()[axis];
    }
    bytes.append(at, a.itemsize());
  }
  return bytes;
}

class CopyDtypeTest : public catena::testing::DeviceDtypeTest {};

TEST_P(CopyDtypeTest, ACopyOfAnyLayoutHasTheSameElementsInCOrder) {
  const Array base = xp::arange(120).astype(dtype()).reshape({4, 5, 6});
  const Array layouts[] = {
      base,
      base.T(),
      base.transpose({1, 0, 2}),
      base[{Slice({}, {}, -1), Slice(1, 5, 2), Slice(0, 5)}],
      base[{ellipsis, Slice({}, {}, 3)}],
      base[{0, 0}],
      base[{0, 0, 0}],
      base[{Slice(2, 2)}],
      base[1].broadcast_to({3, 5, 6}),
      base[{Slice(), Slice(), Slice(0, 1)}].broadcast_to({4, 5, 7}),
  };
  for (const Array& view : layouts) {
    const Array copy = view.copy();
    EXPECT_TRUE(copy.is_contiguous());
    EXPECT_EQ(copy.shape(), view.shape());
    EXPECT_NE(copy.storage(), view.storage());
    EXPECT_EQ(items(copy), items(view))
        << view.shape() << " with strides " << view.strides();
  }
}

TEST_P(CopyDtypeTest, LargeArraysAreCopiedWhole) {
  const Array a = xp::arange(300007).astype(dtype());
  EXPECT_THAT(a.copy(), IsArray(a));
  const Array back = a[{Slice({}, {}, -1)}].copy();
  EXPECT_THAT((back[{Slice({}, {}, -1)}]), IsArray(a));
  const Array square = a[{Slice(0, 250000)}].reshape({500, 500});
  EXPECT_THAT(square.T().copy().T(), IsArray(square));
}

TEST_P(CopyDtypeTest, FillWritesEveryElementOfAnyLayout) {
  const Array a = xp::zeros({5, 7}, dtype());
  a[{Slice(0, 5, 2), Slice({}, {}, -3)}].fill(1);
  const Array row = xp::array({1, 0, 0, 1, 0, 0, 1}).astype(dtype());
  const Array none = xp::zeros({7}, dtype());
  for (int64_t i = 0; i < 5; ++i) {
    EXPECT_THAT(a[i], IsArray(i % 2 == 0 ? row : none));
  }
  a[{Slice(3, 3)}].fill(1);
  EXPECT_THAT(a[3], IsArray(none));
}

INSTANTIATE_TEST_SUITE_P(All, CopyDtypeTest,
                         catena::testing::every_device_and_dtype(),
                         catena::testing::device_dtype_name);

class AstypeGoldenTest : public catena::testing::GoldenDeviceTest {};

TEST_P(AstypeGoldenTest, CastsAsNumpyDoes) {
  const Dtype dtype = dtype_from_name(golden().attr<std::string>("dtype"));
  EXPECT_THAT(array("in0").astype(dtype), IsArray(golden().array("out0")));
}

INSTANTIATE_TEST_SUITE_P(Numpy, AstypeGoldenTest,
                         catena::testing::every_device_and_case("array/astype"),
                         catena::testing::golden_device_name);

class CopyTest : public catena::testing::DeviceTest {};

// What C++ leaves undefined has one answer here.
TEST_P(CopyTest, FloatsThatNoIntegerHoldsHaveADefinedCast) {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  const Array x = xp::array(
      {HUGE_VAL, -HUGE_VAL, std::nan(""), 1e30, -1e30, 9223372036854775808.0});
  for (const Dtype from : {Dtype::kFloat64, Dtype::kFloat32}) {
    EXPECT_THAT(x.astype(from).astype(Dtype::kInt64),
                IsArray(xp::full({6}, kMin)));
    EXPECT_THAT(x.astype(from).astype(Dtype::kInt8),
                IsArray(xp::zeros({6}, Dtype::kInt8)));
  }
  EXPECT_THAT(xp::array({300.7, -1.5, 3e9}).astype(Dtype::kUInt8),
              IsArray(xp::array({44, 255, 0}, Dtype::kUInt8)));
  EXPECT_THAT(xp::array({1.8e19}).astype(Dtype::kUInt64),
              IsArray(xp::array({uint64_t{18000000000000000000u}})));
}

TEST_P(CopyTest, IntegersWrapRound) {
  const Array x = xp::array({-1, 128, 256, 65537});
  EXPECT_THAT(x.astype(Dtype::kInt8),
              IsArray(xp::array({-1, -128, 0, 1}, Dtype::kInt8)));
  EXPECT_THAT(x.astype(Dtype::kUInt16),
              IsArray(xp::array({65535, 128, 256, 1}, Dtype::kUInt16)));
}

TEST_P(CopyTest, EverythingButZeroIsTrue) {
  EXPECT_THAT(
      xp::array({0.0, -0.0, 1e-300, std::nan(""), 0.5}).astype(Dtype::kBool),
      IsArray(xp::array({false, false, true, true, true})));
  EXPECT_THAT(xp::array({0, 256, -1}).astype(Dtype::kBool),
              IsArray(xp::array({false, true, true})));
}

TEST_P(CopyTest, DoublesBecomeTheNearestHalf) {
  const double beyond = 1 + 0x1p-11 + 0x1p-40;  // a tie if cut to float first
  EXPECT_THAT(xp::full({9}, beyond).astype(Dtype::kFloat16),
              IsArray(xp::full({9}, 1 + 0x1p-10, Dtype::kFloat16)));
  EXPECT_THAT(xp::full({9}, beyond, Dtype::kFloat16),
              IsArray(xp::full({9}, 1 + 0x1p-10, Dtype::kFloat16)));
}

TEST_P(CopyTest, AstypeCopiesUnlessToldOtherwise) {
  const Array a = xp::zeros({3});
  EXPECT_NE(a.astype(Dtype::kFloat64).storage(), a.storage());
  EXPECT_TRUE(
      a.astype(Dtype::kFloat64, Array::CopyPolicy::kIfNeeded).is_same(a));
  EXPECT_EQ(a.astype(Dtype::kInt8, Array::CopyPolicy::kIfNeeded).dtype(),
            Dtype::kInt8);
}

TEST_P(CopyTest, ContiguousCopiesOnlyIfNeeded) {
  const Array a = xp::zeros({3, 4});
  EXPECT_TRUE(a.contiguous().is_same(a));
  EXPECT_TRUE(a.T().contiguous().is_contiguous());
}

TEST_P(CopyTest, OverlappingAssignmentsAreAsIfTheSourceWereCopiedFirst) {
  const Array a = xp::arange(10);
  a[{Slice(1, 10)}].assign(a[{Slice(0, 9)}]);
  EXPECT_THAT(a, IsArray(xp::array({0, 0, 1, 2, 3, 4, 5, 6, 7, 8})));
  const Array b = xp::arange(10);
  b.assign(b[{Slice({}, {}, -1)}]);
  EXPECT_THAT(b, IsArray(xp::array({9, 8, 7, 6, 5, 4, 3, 2, 1, 0})));
  const Array c = xp::arange(9).reshape({3, 3});
  c.assign(c.T());
  EXPECT_THAT(c, IsArray(xp::array({{0, 3, 6}, {1, 4, 7}, {2, 5, 8}})));
  const Array d = xp::arange(4);
  d.assign(d[3]);
  EXPECT_THAT(d, IsArray(xp::full({4}, 3)));
}

// Two arrays over foreign memory know nothing of each other.
TEST(ForeignMemoryTest, OverlapsAreSeenByAddress) {
  int64_t values[] = {0, 1, 2, 3, 4, 5};
  const Array front = xp::from_data(values, {5}, Dtype::kInt64);
  const Array back = xp::from_data(values + 1, {5}, Dtype::kInt64);
  back.assign(front);
  EXPECT_THAT(xp::from_data(values, {6}, Dtype::kInt64),
              IsArray(xp::array({0, 0, 1, 2, 3, 4})));
  back.assign(back[{Slice({}, {}, -1)}]);
  EXPECT_THAT(back, IsArray(xp::array({4, 3, 2, 1, 0})));
}

TEST_P(CopyTest, AssignBroadcastsAndCasts) {
  const Array a = xp::zeros({2, 3}, Dtype::kFloat32);
  a.assign(xp::array({{1}, {2}}));
  EXPECT_THAT(a, IsArray(xp::array({{1, 1, 1}, {2, 2, 2}}, Dtype::kFloat32)));
  a.assign(xp::array(7.5));
  EXPECT_THAT(a, IsArray(xp::full({2, 3}, 7.5f, Dtype::kFloat32)));
}

TEST_P(CopyTest, AssignRefusesWhatDoesNotFit) {
  const Array a = xp::zeros({2, 3});
  EXPECT_THAT(error_of<ShapeError>([&] { a.assign(xp::zeros({2})); }),
              "assign: shapes (2,) and (2, 3) cannot "
              "be broadcast together");
  EXPECT_THAT(error_of<ShapeError>([&] {
                a.assign(xp::ones({1, 2, 3}));
              }),
              "assign: cannot broadcast shape (1, 2, 3) to (2, 3)");
  EXPECT_THROW(a.assign(xp::ones({4, 2, 3})), ShapeError);
  EXPECT_THAT(a, IsArray(xp::zeros({2, 3})));
}

TEST_P(CopyTest, FillRefusesNumbersTheDtypeCannotHold) {
  const Array a = xp::zeros({2}, Dtype::kUInt8);
  EXPECT_THAT(error_of<DtypeError>([&] { a.fill(256); }),
              "fill: expected a number that uint8 can hold, got 256");
  EXPECT_THAT(a, IsArray(xp::zeros({2}, Dtype::kUInt8)));
}

TEST_P(CopyTest, ToDeviceCopiesThereAndBack) {
  const Array a = xp::arange(6).reshape({2, 3});
  EXPECT_TRUE(a.to_device(device()).is_same(a));
  const Array there = a.T().to_device(native_device(1));
  EXPECT_EQ(there.device(), native_device(1));
  EXPECT_NE(there.storage(), a.storage());
  EXPECT_EQ(items(there), items(a.T()));
  EXPECT_THAT(there.to_device(device()), IsArray(a.T()));
  EXPECT_EQ(xp::zeros({0, 2}).to_device(native_device(1)).shape(),
            Shape({0, 2}));
}

TEST_P(CopyTest, AssignTakesItsSourceFromAnotherDevice) {
  const Array a = xp::zeros({3, 2});
  const Array b = xp::array({1, 2}, Dtype::kInt8, native_device(1));
  a[{Slice(1, 3)}].assign(b);
  EXPECT_THAT(a, IsArray(xp::array({{0.0, 0.0}, {1.0, 2.0}, {1.0, 2.0}})));
  b.assign(a[0]);
  EXPECT_EQ(b.to_vector<int>(), (std::vector<int>{0, 0}));
  EXPECT_THROW(b.assign(a), ShapeError);
}

TEST(CopyBetweenDevicesTest, ADeviceThatDoesNotExistIsRefused) {
  const Array a = xp::zeros({2}, Dtype::kFloat64, native_device(0));
  EXPECT_THROW(a.to_device(native_device(64)), DeviceError);
  EXPECT_THROW(a.to_device(cuda_device(63)), DeviceError);
}

INSTANTIATE_TEST_SUITE_P(All, CopyTest, catena::testing::every_device(),
                         catena::testing::device_name);

}  // namespace
}  // namespace catena
