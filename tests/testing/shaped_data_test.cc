#include "catena/tests/testing/shaped_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/tests/testing/array_matchers.h"

namespace catena::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::Not;

TEST(ShapedDataTest, CountsFromOne) {
  EXPECT_THAT(shaped_arange({2, 3}),
              IsArray(array::array({{1, 2, 3}, {4, 5, 6}}, Dtype::kFloat32)));
  EXPECT_THAT(shaped_reverse_arange({2, 2}, Dtype::kInt8),
              IsArray(array::array({{4, 3}, {2, 1}}, Dtype::kInt8)));
  EXPECT_THAT(shaped_arange({3}, Dtype::kBool),
              IsArray(array::array({false, true, false})));
  EXPECT_EQ(shaped_arange({2, 0}).shape(), Shape({2, 0}));
  EXPECT_THROW(shaped_arange({-1}), ShapeError);
}

TEST(ShapedDataTest, RandomNumbersFollowTheSeed) {
  const Array a = shaped_random({100}, Dtype::kInt32, 5, 1);
  EXPECT_THAT(shaped_random({100}, Dtype::kInt32, 5, 1), IsArray(a));
  EXPECT_THAT(shaped_random({100}, Dtype::kInt32, 5, 2), Not(IsArray(a)));
  const int32_t* values = a.data<int32_t>();
  for (int64_t i = 0; i < a.size(); ++i) {
    EXPECT_TRUE(values[i] >= 0 && values[i] < 5) << values[i];
  }
  EXPECT_EQ(shaped_random({4}, Dtype::kBool).dtype(), Dtype::kBool);
}

TEST(GenerateSeedTest, GivesAnotherSeedEachTime) {
  EXPECT_NE(generate_seed(), generate_seed());
  ::setenv("CHAINER_TEST_RANDOM_NONDETERMINISTIC", "1", 1);
  EXPECT_NE(generate_seed(), generate_seed());
  ::unsetenv("CHAINER_TEST_RANDOM_NONDETERMINISTIC");
}

TEST(FixRandomTest, SeedsForABlockAndContinuesAfterwards) {
  array::random::seed(7);
  const Array first = array::random::uniform(0, 1, {8});
  const Array second = array::random::uniform(0, 1, {8});
  array::random::seed(7);
  EXPECT_THAT(array::random::uniform(0, 1, {8}), IsArray(first));
  Array inside[2];
  for (Array& drawn : inside) {
    const FixRandom fixed(3);
    drawn = array::random::uniform(0, 1, {8});
  }
  EXPECT_THAT(inside[0], IsArray(inside[1]));
  EXPECT_THAT(array::random::uniform(0, 1, {8}), IsArray(second));
}

TEST(ProductTest, VariesTheLastFastest) {
  EXPECT_THAT(product(std::vector<int>{1, 2}, std::vector<char>{'a', 'b'}),
              ElementsAre(std::tuple(1, 'a'), std::tuple(1, 'b'),
                          std::tuple(2, 'a'), std::tuple(2, 'b')));
  EXPECT_TRUE(product(std::vector<int>{1}, std::vector<int>()).empty());
}

TEST(ProductDictTest, JoinsOneMapOfEachList) {
  using Map = std::map<std::string, int>;
  EXPECT_THAT(
      product_dict<int>(
          {{{{"a", 1}, {"b", 2}}, {{"a", 3}}}, {{{"c", 4}}, {{"b", 5}}}}),
      ElementsAre(Map{{"a", 1}, {"b", 2}, {"c", 4}}, Map{{"a", 1}, {"b", 5}},
                  Map{{"a", 3}, {"c", 4}}, Map{{"a", 3}, {"b", 5}}));
}

}  // namespace
}  // namespace catena::testing
