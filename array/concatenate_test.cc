#include "catena/array/concatenate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/tests/support/golden_device_test.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

namespace xp = catena::array;
using ::catena::testing::error_of;
using catena::testing::GoldenCase;
using catena::testing::IsArray;

class ConcatenateTest : public catena::testing::DeviceTest {};

TEST_P(ConcatenateTest, JoinsAlongAnAxis) {
  const Array a = xp::array({{1, 2}, {3, 4}});
  const Array b = xp::array({{5, 6}});
  EXPECT_THAT(xp::concatenate({a, b}),
              IsArray(xp::array({{1, 2}, {3, 4}, {5, 6}})));
  EXPECT_THAT(xp::concatenate({a, b.T()}, 1),
              IsArray(xp::array({{1, 2, 5}, {3, 4, 6}})));
  EXPECT_THAT(xp::concatenate({a, b.T()}, -1),
              IsArray(xp::array({{1, 2, 5}, {3, 4, 6}})));
  EXPECT_THAT(xp::concatenate({a}), IsArray(a));
}

TEST_P(ConcatenateTest, WithoutAnAxisEverythingIsFlattened) {
  EXPECT_THAT(xp::concatenate({xp::array({{1, 2}, {3, 4}}), xp::array(5)},
                              std::nullopt),
              IsArray(xp::array({1, 2, 3, 4, 5})));
}

TEST_P(ConcatenateTest, DtypesPromote) {
  EXPECT_THAT(
      xp::concatenate({xp::array({1}, Dtype::kInt8), xp::array({2.5f})}),
      IsArray(xp::array({1.0f, 2.5f})));
}

TEST_P(ConcatenateTest, EmptyPartsAddNothing) {
  EXPECT_THAT(xp::concatenate({xp::zeros({0, 2}), xp::ones({1, 2})}),
              IsArray(xp::ones({1, 2})));
  EXPECT_EQ(xp::concatenate({xp::zeros({0}), xp::zeros({0})}).size(), 0);
}

TEST_P(ConcatenateTest, TheResultSharesNoMemory) {
  const Array a = xp::zeros({2});
  const Array joined = xp::concatenate({a, a});
  joined.fill(1);
  EXPECT_THAT(a, IsArray(xp::zeros({2})));
}

TEST_P(ConcatenateTest, StackMakesANewAxis) {
  const Array a = xp::array({1, 2});
  const Array b = xp::array({3, 4});
  EXPECT_THAT(xp::stack({a, b}), IsArray(xp::array({{1, 2}, {3, 4}})));
  EXPECT_THAT(xp::stack({a, b}, 1), IsArray(xp::array({{1, 3}, {2, 4}})));
  EXPECT_THAT(xp::stack({a, b}, -1), IsArray(xp::array({{1, 3}, {2, 4}})));
  EXPECT_EQ(xp::stack({xp::array(1), xp::array(2)}).shape(), Shape({2}));
}

TEST_P(ConcatenateTest, WhatDoesNotFitIsRefused) {
  const Array a = xp::zeros({2, 3});
  EXPECT_THAT(error_of<ValueError>([] { xp::concatenate({}); }),
              "concatenate: expected at least one array, got none");
  EXPECT_THAT(error_of<ShapeError>([&] {
                xp::concatenate({a, xp::zeros({2, 4})});
              }),
              "concatenate: expected shapes that differ in axis 0 only, "
              "got (2, 3) and (2, 4)");
  EXPECT_THROW(xp::concatenate({a, xp::zeros({2})}), ShapeError);
  EXPECT_THROW(xp::concatenate({a, a}, 2), IndexError);
  EXPECT_THROW(xp::concatenate({xp::zeros({}), xp::zeros({})}), IndexError);
  EXPECT_THROW(xp::concatenate({a, Array()}), ValueError);
  EXPECT_THAT(error_of<ShapeError>([&] {
                xp::stack({a, xp::zeros({3, 2})});
              }),
              "stack: expected arrays of one shape, "
              "got (2, 3) and (3, 2)");
  EXPECT_THROW(xp::stack({a, a}, 3), IndexError);
}

TEST_P(ConcatenateTest, ExtentsWhoseSumWouldWrapRoundAreRefused) {
  const Array huge = xp::zeros({1, 1}).broadcast_to({int64_t{1} << 59, 1});
  EXPECT_THROW(xp::concatenate(std::vector<Array>(16, huge)), ShapeError);
  EXPECT_THROW(xp::concatenate({huge, huge, huge}), ShapeError);
}

TEST(ConcatenateDeviceTest, ArraysOnSeveralDevicesAreRefused) {
  EXPECT_THAT(
      error_of<DeviceError>([] {
        xp::concatenate({xp::zeros({1}, Dtype::kInt8, native_device(0)),
                         xp::zeros({1}, Dtype::kInt8, native_device(1))});
      }),
      "concatenate: expected arrays on one device, "
      "got native:0 and native:1");
}

INSTANTIATE_TEST_SUITE_P(All, ConcatenateTest, catena::testing::every_device(),
                         catena::testing::device_name);

class ConcatenateGoldenTest : public catena::testing::GoldenDeviceTest {};

TEST_P(ConcatenateGoldenTest, JoinsAsNumpyDoes) {
  std::vector<Array> inputs;
  for (const Array& input : golden().inputs()) {
    inputs.push_back(input.to_device(device()));
  }
  const bool stacks = golden().attr<std::string>("op") == "stack";
  std::optional<int64_t> axis;
  if (golden().has_attr("axis") && !golden().attr_is_text("axis")) {
    axis = golden().attr<int64_t>("axis");
  }
  EXPECT_THAT(stacks ? xp::stack(inputs, axis.value_or(0))
                     : xp::concatenate(inputs, axis),
              IsArray(golden().array("out0")));
}

bool joins(const GoldenCase& golden) {
  const auto op = golden.attr<std::string>("op");
  return op == "concatenate" || op == "stack";
}

INSTANTIATE_TEST_SUITE_P(
    Numpy, ConcatenateGoldenTest,
    catena::testing::every_device_and_case("array/manipulation", joins),
    catena::testing::golden_device_name);

}  // namespace
}  // namespace catena
