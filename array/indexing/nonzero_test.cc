#include "catena/array/indexing/nonzero.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "catena/array/creation.h"
#include "catena/array/indexing/getitem.h"
#include "catena/array/indexing/testing/index_reference.h"
#include "catena/array/random/random.h"
#include "catena/tests/support/golden_device_test.h"
#include "catena/tests/testing/array_matchers.h"

namespace catena {
namespace {

namespace xp = catena::array;
using catena::testing::integers_of;
using catena::testing::IsArray;
using ::testing::ElementsAreArray;

class NonzeroTest : public catena::testing::DeviceTest {};

TEST_P(NonzeroTest, NaNAndEverythingButZeroCounts) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(xp::flatnonzero(xp::array({{0., kNaN}, {-0., 1e-300}})),
              IsArray(xp::array({1, 3})));
}

TEST_P(NonzeroTest, HasAnArrayForEachAxis) {
  const Array a = xp::array({{0, 1, 0}, {2, 0, 3}});
  const std::vector<Array> found = xp::nonzero(a);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_THAT(found[0], IsArray(xp::array({0, 1, 1})));
  EXPECT_THAT(found[1], IsArray(xp::array({1, 0, 2})));
  EXPECT_THAT(xp::where(a)[1], IsArray(found[1]));
  EXPECT_THAT(xp::argwhere(a), IsArray(xp::array({{0, 1}, {1, 0}, {1, 2}})));
}

TEST_P(NonzeroTest, ShapesWithoutElementsAndWithoutAxes) {
  EXPECT_EQ(xp::nonzero(xp::zeros({2, 0})).size(), 2u);
  EXPECT_EQ(xp::nonzero(xp::zeros({2, 0}))[0].shape(), Shape({0}));
  EXPECT_EQ(xp::argwhere(xp::zeros({2, 2})).shape(), Shape({0, 2}));
  EXPECT_THAT(xp::nonzero(xp::array(5))[0], IsArray(xp::array({0})));
  EXPECT_EQ(xp::argwhere(xp::array(5)).shape(), Shape({1, 0}));
}

TEST_P(NonzeroTest, SizesAroundWordsAndBlocksLoseNothing) {
  xp::random::Generator generator(1, device());
  for (const int64_t size : {1, 7, 8, 9, 63, 65, 65535, 65536, 65537, 300001}) {
    for (const double p : {0.01, 0.5, 1.}) {
      const Array flags = generator.bernoulli(p, {size});
      std::vector<int64_t> expected;
      int64_t position = 0;
      for (const int64_t flag : integers_of(flags)) {
        if (flag != 0) expected.push_back(position);
        ++position;
      }
      ASSERT_THAT(integers_of(xp::flatnonzero(flags)),
                  ElementsAreArray(expected));
    }
  }
}

TEST_P(NonzeroTest, IndexingWithItGivesTheElements) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 300; ++i) {
    const Shape shape = catena::testing::random_shape(random);
    const Array a = catena::testing::random_layout(shape, random);
    const std::vector<Array> found = xp::nonzero(a);
    const std::vector<AdvancedIndex> indexes(found.begin(), found.end());
    std::vector<int64_t> expected;
    for (int64_t k = 1; k < a.size(); ++k) expected.push_back(k);
    ASSERT_THAT(integers_of(xp::getitem(a, indexes)),
                ElementsAreArray(expected));
  }
}

INSTANTIATE_TEST_SUITE_P(All, NonzeroTest, catena::testing::every_device(),
                         catena::testing::device_name);

class NonzeroGoldenTest : public catena::testing::GoldenDeviceTest {};

TEST_P(NonzeroGoldenTest, FindsAsNumpyDoes) {
  const std::string op = golden().attr<std::string>("op");
  const Array a = array("in0");
  const std::vector<Array> expected = golden().outputs();
  std::vector<Array> found;
  if (op == "nonzero" || op == "where") found = xp::nonzero(a);
  if (op == "argwhere") found = {xp::argwhere(a)};
  if (op == "flatnonzero") found = {xp::flatnonzero(a)};
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_THAT(found[i], IsArray(expected[i]));
  }
}

INSTANTIATE_TEST_SUITE_P(Numpy, NonzeroGoldenTest,
                         catena::testing::every_device_and_case(
                             "array/selection",
                             [](const catena::testing::GoldenCase& golden) {
                               const std::string op =
                                   golden.attr<std::string>("op");
                               return op.ends_with("nonzero")
                                          ? op != "count_nonzero"
                                          : op == "argwhere" ||
                                                golden.name() == "where1";
                             }),
                         catena::testing::golden_device_name);

}  // namespace
}  // namespace catena
