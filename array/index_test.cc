#include "catena/array/index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/tests/support/golden_device_test.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

namespace xp = catena::array;
using ::catena::testing::error_of;
using catena::testing::GoldenCase;
using catena::testing::IsArray;

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

class IndexTest : public catena::testing::DeviceTest {};

TEST_P(IndexTest, AnIntegerTakesAnAxisAway) {
  const Array a = xp::arange(12).reshape({3, 4});
  EXPECT_THAT(a[1], IsArray(xp::array({4, 5, 6, 7})));
  EXPECT_THAT(a[-1], IsArray(xp::array({8, 9, 10, 11})));
  EXPECT_THAT((a[{1, 2}]), IsArray(xp::array(6)));
  EXPECT_EQ(a[1].storage(), a.storage());
}

TEST_P(IndexTest, SlicesClampTheirEnds) {
  const Array a = xp::arange(5);
  EXPECT_THAT((a[{Slice(1, 99)}]), IsArray(xp::array({1, 2, 3, 4})));
  EXPECT_THAT((a[{Slice(-99, 2)}]), IsArray(xp::array({0, 1})));
  EXPECT_THAT((a[{Slice(-2, {})}]), IsArray(xp::array({3, 4})));
  EXPECT_THAT((a[{Slice(3)}]), IsArray(xp::array({0, 1, 2})));
  EXPECT_EQ((a[{Slice(4, 2)}]).size(), 0);
  EXPECT_EQ((a[{Slice(99, {})}]).size(), 0);
}

TEST_P(IndexTest, NegativeStepsWalkBackwards) {
  const Array a = xp::arange(6);
  EXPECT_THAT((a[{Slice({}, {}, -1)}]), IsArray(xp::array({5, 4, 3, 2, 1, 0})));
  EXPECT_THAT((a[{Slice(4, 0, -2)}]), IsArray(xp::array({4, 2})));
  EXPECT_THAT((a[{Slice(99, -99, -3)}]), IsArray(xp::array({5, 2})));
  EXPECT_EQ((a[{Slice(0, 4, -1)}]).size(), 0);
}

TEST_P(IndexTest, ExtremeSlicesDoNotOverflow) {
  const Array a = xp::arange(6);
  EXPECT_THAT((a[{Slice(kMin, kMax, kMax)}]), IsArray(xp::array({0})));
  EXPECT_THAT((a[{Slice(kMax, kMin, kMin)}]), IsArray(xp::array({5})));
  EXPECT_THAT((a[{Slice({}, {}, kMax)}]), IsArray(xp::array({0})));
  EXPECT_THAT((a[{Slice({}, {}, kMin)}]), IsArray(xp::array({5})));
  EXPECT_EQ((a[{Slice(kMax, {})}]).size(), 0);
}

TEST_P(IndexTest, SlicesOfEmptyAxesAreEmpty) {
  const Array a = xp::zeros({0, 3});
  EXPECT_EQ((a[{Slice()}]).shape(), Shape({0, 3}));
  EXPECT_EQ((a[{Slice({}, {}, -1)}]).shape(), Shape({0, 3}));
  EXPECT_EQ((a[{Slice(2, 5), Slice(1, 3)}]).shape(), Shape({0, 2}));
}

TEST_P(IndexTest, EllipsisAndNewAxisStandWhereTheyAre) {
  const Array a = xp::arange(24).reshape({2, 3, 4});
  EXPECT_EQ((a[{ellipsis, 0}]).shape(), Shape({2, 3}));
  EXPECT_EQ((a[{0, ellipsis, newaxis}]).shape(), Shape({3, 4, 1}));
  EXPECT_EQ((a[{newaxis, 1, newaxis, Slice(0, 2)}]).shape(),
            Shape({1, 1, 2, 4}));
  EXPECT_EQ((a[{0, 1, ellipsis, 2}]).shape(), Shape());
  EXPECT_EQ(a[{}].shape(), a.shape());
}

TEST_P(IndexTest, WritingToASelectionBroadcastsAndCasts) {
  const Array a = xp::zeros({3, 4}, Dtype::kInt64);
  a[{Slice(0, 3, 2)}].assign(xp::array({1.9, 2.0, 3.0, 4.0}));
  a[{1, Slice({}, {}, -1)}].assign(xp::arange(4));
  EXPECT_THAT(a,
              IsArray(xp::array({{1, 2, 3, 4}, {3, 2, 1, 0}, {1, 2, 3, 4}})));
}

TEST_P(IndexTest, WhatIsOutOfRangeIsNamed) {
  const Array a = xp::zeros({3, 4});
  EXPECT_THAT(error_of<IndexError>([&] {
                (a[{0, 4}]);
              }),
              "index: 4 is out of range for axis 1 with extent 4");
  EXPECT_THAT(error_of<IndexError>([&] { a[-4]; }),
              "index: -4 is out of range for axis 0 with extent 3");
  EXPECT_THROW(a[kMin], IndexError);
  EXPECT_THROW(a[kMax], IndexError);
  EXPECT_THROW(xp::zeros({0})[0], IndexError);
}

TEST_P(IndexTest, TooManyIndexesAreRefused) {
  EXPECT_THAT(error_of<IndexError>([] {
                (xp::zeros({2})[{0, Slice()}]);
              }),
              "index: too many indexes: 2 for an "
              "array of shape (2,)");
  EXPECT_THROW(xp::zeros({})[0], IndexError);
  EXPECT_THAT(error_of<IndexError>([] {
                (xp::zeros({2})[{ellipsis, ellipsis}]);
              }),
              "index: expected at most one ellipsis, got 2");
  const Array full = xp::zeros(Shape::filled(8, 1));
  EXPECT_THROW((full[{newaxis, ellipsis}]), ShapeError);
}

TEST_P(IndexTest, AStepOfZeroIsRefused) {
  EXPECT_THAT(error_of<IndexError>([] { (xp::zeros({2})[{Slice(0, 2, 0)}]); }),
              "index: expected a slice step other than 0");
}

INSTANTIATE_TEST_SUITE_P(All, IndexTest, catena::testing::every_device(),
                         catena::testing::device_name);

// Rows of (kind, a, b, c); the least integer stands for an absent end.
std::vector<Index> indexes_of(const GoldenCase& golden) {
  const Array table = golden.attr<Array>("slices");
  std::vector<Index> indexes;
  for (int64_t i = 0; i < table.shape()[0]; ++i) {
    const int64_t* row = table.data<int64_t>() + 4 * i;
    const auto end = [](int64_t value) {
      return value == kMin ? std::nullopt : std::optional(value);
    };
    switch (row[0]) {
      case 0:
        indexes.push_back(row[1]);
        break;
      case 1:
        indexes.push_back(
            Slice(end(row[1]), end(row[2]), end(row[3]).value_or(1)));
        break;
      case 2:
        indexes.push_back(ellipsis);
        break;
      default:
        indexes.push_back(newaxis);
        break;
    }
  }
  return indexes;
}

bool is_basic(const GoldenCase& golden) {
  const Array table = golden.attr<Array>("slices");
  for (int64_t i = 0; i < table.shape()[0]; ++i) {
    if (table.data<int64_t>()[4 * i] > 3) return false;
  }
  return true;
}

class IndexGoldenTest : public catena::testing::GoldenDeviceTest {};

TEST_P(IndexGoldenTest, ReadsAndWritesAsNumpyDoes) {
  const std::vector<Index> indexes = indexes_of(golden());
  const Array a = array("in0");
  const Array expected = golden().array("out0");
  if (golden().attr<std::string>("op") == "getitem") {
    EXPECT_THAT(xp::basic_index(a, indexes), IsArray(expected));
  } else {
    xp::basic_index(a, indexes).assign(array("in1"));
    EXPECT_THAT(a, IsArray(expected));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Numpy, IndexGoldenTest,
    catena::testing::every_device_and_case("array/indexing", is_basic),
    catena::testing::golden_device_name);

}  // namespace
}  // namespace catena
