#include "catena/array/sorting/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/indexing/testing/index_reference.h"
#include "catena/array/sorting/sort.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/tests/support/golden_device_test.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

namespace xp = catena::array;
using ::catena::testing::error_of;
using catena::testing::integers_of;
using catena::testing::IsArray;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using xp::Side;

class SearchTest : public catena::testing::DeviceTest {};

TEST_P(SearchTest, SidesDifferWhereElementsAreEqual) {
  const Array a = xp::array({1, 3, 3, 5});
  const Array v = xp::array({{0, 1, 3}, {4, 5, 6}});
  EXPECT_THAT(xp::searchsorted(a, v),
              IsArray(xp::array({{0, 0, 1}, {3, 3, 4}})));
  EXPECT_THAT(xp::searchsorted(a, v, {.side = Side::kRight}),
              IsArray(xp::array({{0, 1, 3}, {3, 4, 4}})));
  EXPECT_THAT(xp::searchsorted(a, 2.5), IsArray(xp::array(1)));
}

TEST_P(SearchTest, BothAreComparedInTheDtypeThatHoldsThem) {
  EXPECT_THAT(xp::searchsorted(xp::array({1, 2}), xp::array({1.5, -300.})),
              IsArray(xp::array({1, 0})));
  EXPECT_THAT(xp::searchsorted(xp::array({1, 2}, Dtype::kInt8),
                               xp::array({1000}, Dtype::kInt32)),
              IsArray(xp::array({2})));
}

TEST_P(SearchTest, NaNIsLast) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const Array a = xp::array({-0., 1., kNaN, kNaN});
  const Array v = xp::array({kNaN, 2., 0.});
  EXPECT_THAT(xp::searchsorted(a, v), IsArray(xp::array({2, 2, 0})));
  EXPECT_THAT(xp::searchsorted(a, v, {.side = Side::kRight}),
              IsArray(xp::array({4, 2, 1})));
}

TEST_P(SearchTest, ASorterSortsFirst) {
  const Array a = xp::array({5, 1, 3});
  EXPECT_THAT(
      xp::searchsorted(a, xp::array({2, 4}), {.sorter = xp::argsort(a)}),
      IsArray(xp::array({1, 2})));
  EXPECT_THROW(
      {
        xp::searchsorted(a, 1, {.sorter = xp::array({0, 1, 7})});
        synchronize(device());  // a GPU's error comes when the host waits
      },
      IndexError);
  EXPECT_THAT(error_of<ShapeError>(
                  [&] { xp::searchsorted(a, 1, {.sorter = xp::array({0})}); }),
              "searchsorted: expected a sorter of shape (3,), got (1,)");
}

TEST_P(SearchTest, RandomValuesAreFoundAsBySearchingOneByOne) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 300; ++i) {
    std::vector<int64_t> sorted(random() % 40);
    for (int64_t& x : sorted) x = static_cast<int64_t>(random() % 30) - 15;
    std::ranges::sort(sorted);
    const Shape shape = catena::testing::random_shape(random);
    const Array v = catena::testing::random_layout(shape, random);
    v.assign(xp::subtract(v, 15));
    std::vector<int64_t> left;
    std::vector<int64_t> right;
    for (const int64_t x : integers_of(v)) {
      left.push_back(
          std::ranges::count_if(sorted, [=](int64_t s) { return s < x; }));
      right.push_back(
          std::ranges::count_if(sorted, [=](int64_t s) { return s <= x; }));
    }
    const Array a = xp::array(sorted);
    const Array found = xp::searchsorted(a, v);
    ASSERT_EQ(found.shape(), shape);
    ASSERT_THAT(integers_of(found), ElementsAreArray(left));
    ASSERT_THAT(integers_of(xp::searchsorted(a, v, {.side = Side::kRight})),
                ElementsAreArray(right));
  }
}

TEST_P(SearchTest, DigitizeFindsBins) {
  const Array x = xp::array({-1., 0., 0.5, 1., 2.});
  const Array rising = xp::array({0., 1.});
  EXPECT_THAT(xp::digitize(x, rising), IsArray(xp::array({0, 1, 1, 2, 2})));
  EXPECT_THAT(xp::digitize(x, rising, {.right = true}),
              IsArray(xp::array({0, 0, 1, 1, 2})));
  const Array falling = xp::array({1., 0.});
  EXPECT_THAT(xp::digitize(x, falling), IsArray(xp::array({2, 1, 1, 0, 0})));
  EXPECT_THAT(xp::digitize(x, falling, {.right = true}),
              IsArray(xp::array({2, 2, 1, 1, 0})));
  EXPECT_THAT(error_of<ValueError>([&] {
                xp::digitize(x, xp::array({0, 2, 1}));
              }),
              "digitize: bins must be monotonic, got [0 2 1]");
  EXPECT_THROW(xp::digitize(x, xp::zeros({1, 2})), ShapeError);
}

TEST_P(SearchTest, NothingToFindOrToSearch) {
  EXPECT_THAT(xp::searchsorted(xp::zeros({0}), xp::array({1., 2.})),
              IsArray(xp::array({0, 0})));
  EXPECT_EQ(xp::searchsorted(xp::zeros({2}), xp::zeros({0, 3})).shape(),
            Shape({0, 3}));
  EXPECT_THAT(error_of<ShapeError>([] {
                xp::searchsorted(xp::zeros({1, 2}), 1);
              }),
              HasSubstr("got shape (1, 2)"));
}

INSTANTIATE_TEST_SUITE_P(All, SearchTest, catena::testing::every_device(),
                         catena::testing::device_name);

class SearchGoldenTest : public catena::testing::GoldenDeviceTest {};

TEST_P(SearchGoldenTest, FindsAsNumpyDoes) {
  EXPECT_THAT(xp::searchsorted(array("in0"), array("in1")),
              IsArray(golden().array("out0")));
}

INSTANTIATE_TEST_SUITE_P(Numpy, SearchGoldenTest,
                         catena::testing::every_device_and_case(
                             "array/selection",
                             [](const catena::testing::GoldenCase& golden) {
                               return golden.attr<std::string>("op") ==
                                      "searchsorted";
                             }),
                         catena::testing::golden_device_name);

}  // namespace
}  // namespace catena
