#include "catena/dataset/tokenizers/token_dataset.h"

#include <gmock/gmock.h>

#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/dataset/convert.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"

namespace catena::datasets {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::IsArray;
using ::testing::HasSubstr;

Array numbers(std::vector<int32_t> values) { return array::array(values); }

TEST(TokenDatasetTest, HasEveryWindowWithItsNextTokens) {
  const TokenDataset windows(array::arange(6).astype(Dtype::kInt32), 3);
  ASSERT_EQ(windows.size(), 3);
  const dataset::Example last = windows[2];
  EXPECT_THAT(last[0], IsArray(numbers({2, 3, 4})));
  EXPECT_THAT(last[1], IsArray(numbers({3, 4, 5})));
  const auto batch = windows.gather(array::array({2, 0}, Dtype::kInt64));
  ASSERT_TRUE(batch.has_value());
  EXPECT_THAT((*batch)[0],
              IsArray(array::array({{2, 3, 4}, {0, 1, 2}}, Dtype::kInt32)));
  EXPECT_THAT((*batch)[1],
              IsArray(array::array({{3, 4, 5}, {1, 2, 3}}, Dtype::kInt32)));
}

TEST(TokenDatasetTest, AStrideLeavesOutWhatDoesNotFit) {
  const auto size = [](int64_t count, int64_t length, int64_t stride) {
    return TokenDataset(array::zeros({count}, Dtype::kInt32), length,
                        {.stride = stride})
        .size();
  };
  EXPECT_EQ(size(9, 3, 3), 2);
  EXPECT_EQ(size(10, 3, 3), 3);
  EXPECT_EQ(size(4, 3, 3), 1);
  EXPECT_EQ(size(3, 3, 1), 0);
  EXPECT_EQ(size(0, 3, 1), 0);
  const TokenDataset windows(array::arange(10), 3, {.stride = 3});
  EXPECT_THAT(windows[2][1], IsArray(array::array({7, 8, 9})));
}

TEST(TokenDatasetTest, RefusesOtherArraysAndSizes) {
  const Array tokens = array::zeros({5}, Dtype::kInt32);
  EXPECT_THAT(error_of<ShapeError>([] {
                TokenDataset(array::zeros({5, 1}, Dtype::kInt32), 2);
              }),
              HasSubstr("one axis, got shape (5, 1)"));
  EXPECT_THAT(error_of<DtypeError>([] { TokenDataset(array::zeros({5}), 2); }),
              HasSubstr("integers, got float64"));
  EXPECT_THAT(error_of<ValueError>([&] { TokenDataset(tokens, 0); }),
              HasSubstr("positive length and stride, got 0 and 1"));
  EXPECT_THAT(
      error_of<ValueError>([&] { TokenDataset(tokens, 2, {.stride = -1}); }),
      HasSubstr("got 2 and -1"));
}

}  // namespace
}  // namespace catena::datasets
