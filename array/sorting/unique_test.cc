#include "catena/array/sorting/unique.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/indexing/testing/index_reference.h"
#include "catena/array/take.h"
#include "catena/tests/support/golden_device_test.h"
#include "catena/tests/testing/array_matchers.h"

namespace catena {
namespace {

namespace xp = catena::array;
using catena::testing::integers_of;
using catena::testing::IsArray;
using ::testing::ElementsAreArray;

class UniqueTest : public catena::testing::DeviceTest {};

TEST_P(UniqueTest, PartsSayWhereValuesCameFrom) {
  const Array a = xp::array({{3, 1, 3}, {2, 1, 3}});
  EXPECT_THAT(xp::unique(a), IsArray(xp::array({1, 2, 3})));
  const xp::UniqueParts parts = xp::unique_parts(a);
  EXPECT_THAT(parts.values, IsArray(xp::array({1, 2, 3})));
  EXPECT_THAT(parts.index, IsArray(xp::array({1, 3, 0})));
  EXPECT_THAT(parts.inverse, IsArray(xp::array({2, 0, 2, 1, 0, 2})));
  EXPECT_THAT(parts.counts, IsArray(xp::array({2, 1, 3})));
}

TEST_P(UniqueTest, AllNaNAreOneValue) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const Array a = xp::array({kNaN, 0., -kNaN, -0., 1.});
  EXPECT_THAT(xp::unique(a), IsArray(xp::array({0., 1., kNaN})));
  const xp::UniqueParts parts = xp::unique_parts(a);
  EXPECT_THAT(parts.index, IsArray(xp::array({1, 4, 0})));
  EXPECT_THAT(parts.inverse, IsArray(xp::array({2, 0, 2, 0, 1})));
  EXPECT_THAT(parts.counts, IsArray(xp::array({2, 1, 2})));
  EXPECT_THAT(xp::isin(a, a),
              IsArray(xp::array({false, true, false, true, true})));
}

TEST_P(UniqueTest, NothingHasNoValues) {
  const xp::UniqueParts parts = xp::unique_parts(xp::zeros({0, 3}));
  EXPECT_EQ(parts.values.shape(), Shape({0}));
  EXPECT_EQ(parts.counts.shape(), Shape({0}));
  EXPECT_EQ(parts.inverse.shape(), Shape({0}));
  EXPECT_EQ(xp::unique(xp::array(4)).shape(), Shape({1}));
}

TEST_P(UniqueTest, RandomSetsAgreeWithTheStandardLibrarys) {
  std::mt19937_64 random(11);
  const auto shuffled = [&] {
    const Shape shape = catena::testing::random_shape(random);
    const Array a = catena::testing::random_layout(shape, random);
    std::vector<int64_t> values(size_of(shape));
    for (int64_t& x : values) x = static_cast<int64_t>(random() % 20) - 10;
    a.assign(xp::array(values, shape));
    return a;
  };
  for (int i = 0; i < 200; ++i) {
    const Array a = shuffled();
    const Array b = shuffled();
    const std::vector<int64_t> as = integers_of(a);
    const std::vector<int64_t> bs = integers_of(b);
    const std::set<int64_t> a_set(as.begin(), as.end());
    const std::set<int64_t> b_set(bs.begin(), bs.end());
    std::vector<int64_t> both;
    std::ranges::set_intersection(a_set, b_set, std::back_inserter(both));
    std::vector<int64_t> either;
    std::ranges::set_union(a_set, b_set, std::back_inserter(either));
    std::vector<int64_t> only_a;
    std::ranges::set_difference(a_set, b_set, std::back_inserter(only_a));
    std::vector<int64_t> one;
    std::ranges::set_symmetric_difference(a_set, b_set,
                                          std::back_inserter(one));
    std::vector<int64_t> found;
    for (const int64_t x : as) found.push_back(b_set.contains(x));
    ASSERT_THAT(integers_of(xp::unique(a)), ElementsAreArray(a_set));
    ASSERT_THAT(integers_of(xp::intersect1d(a, b)), ElementsAreArray(both));
    ASSERT_THAT(integers_of(xp::union1d(a, b)), ElementsAreArray(either));
    ASSERT_THAT(integers_of(xp::setdiff1d(a, b)), ElementsAreArray(only_a));
    ASSERT_THAT(integers_of(xp::setxor1d(a, b)), ElementsAreArray(one));
    ASSERT_THAT(integers_of(xp::in1d(a, b)), ElementsAreArray(found));
    ASSERT_EQ(xp::isin(a, b).shape(), a.shape());
    const xp::UniqueParts parts = xp::unique_parts(a);
    ASSERT_THAT(xp::take(parts.values, parts.inverse, 0), IsArray(a.ravel()));
    ASSERT_THAT(xp::take(a, parts.index), IsArray(parts.values));
    std::map<int64_t, int64_t> counts;
    for (const int64_t x : as) ++counts[x];
    std::vector<int64_t> expected;
    for (const auto& [x, count] : counts) expected.push_back(count);
    ASSERT_THAT(integers_of(parts.counts), ElementsAreArray(expected));
  }
}

TEST_P(UniqueTest, DtypesOfSetsAreThoseThatHoldBoth) {
  const Array a = xp::array({1, 2}, Dtype::kInt8);
  const Array b = xp::array({2., 2.5});
  EXPECT_THAT(xp::union1d(a, b), IsArray(xp::array({1., 2., 2.5})));
  EXPECT_THAT(xp::intersect1d(a, b), IsArray(xp::array({2.})));
  EXPECT_THAT(xp::setdiff1d(a, b), IsArray(xp::array({1}, Dtype::kInt8)));
  EXPECT_THAT(xp::isin(b, a, {.invert = true}),
              IsArray(xp::array({false, true})));
  EXPECT_THAT(xp::isin(b, xp::zeros({0})), IsArray(xp::array({false, false})));
}

INSTANTIATE_TEST_SUITE_P(All, UniqueTest, catena::testing::every_device(),
                         catena::testing::device_name);

TEST(UniqueDeviceTest, BothHaveToBeOnOneDevice) {
  const Array there = xp::zeros({1}, Dtype::kFloat64, native_device(1));
  EXPECT_THROW(xp::isin(xp::zeros({1}), there), DeviceError);
  EXPECT_THROW(xp::setdiff1d(there, xp::zeros({1})), DeviceError);
}

class UniqueGoldenTest : public catena::testing::GoldenDeviceTest {};

TEST_P(UniqueGoldenTest, FindsAsNumpyDoes) {
  EXPECT_THAT(xp::unique(array("in0")), IsArray(golden().array("out0")));
}

INSTANTIATE_TEST_SUITE_P(Numpy, UniqueGoldenTest,
                         catena::testing::every_device_and_case(
                             "array/selection",
                             [](const catena::testing::GoldenCase& golden) {
                               return golden.attr<std::string>("op") ==
                                      "unique";
                             }),
                         catena::testing::golden_device_name);

}  // namespace
}  // namespace catena
