#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/dataset/batch.h"
#include "catena/dataset/convert.h"
#include "catena/dataset/datasets/sub_dataset.h"
#include "catena/dataset/datasets/transform_dataset.h"
#include "catena/dataset/datasets/tuple_dataset.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"

namespace catena::datasets {
namespace {

using array::arange;
using array::array;
using ::catena::testing::error_of;
using dataset::Batch;
using dataset::concat_examples;
using dataset::Dataset;
using dataset::Example;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::IsArray;
using ::testing::UnorderedElementsAre;

std::vector<int64_t> values_of(const Dataset& dataset) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < dataset.size(); ++i) {
    values.push_back(dataset[i][0].item<int64_t>());
  }
  return values;
}

// A batch of all examples, read by gather.
std::vector<int64_t> gathered_values_of(const Dataset& dataset) {
  const auto all = dataset->gather(arange(dataset.size()));
  EXPECT_TRUE(all.has_value());
  const Array& field = (*all)[0];
  return {field.data<int64_t>(), field.data<int64_t>() + field.size()};
}

TEST(TupleDatasetTest, PutsDatasetsSideBySide) {
  const TupleDataset dataset(arange(6).reshape({3, 2}), array({7, 8, 9}));
  EXPECT_EQ(dataset.size(), 3);
  const Example example = dataset[-1];
  ASSERT_EQ(example.size(), 2);
  EXPECT_THAT(example[0], IsArray(array({4, 5})));
  EXPECT_EQ(example[1].item<int64_t>(), 9);
  EXPECT_EQ(dataset[Slice(1, 3)].size(), 2u);
}

TEST(TupleDatasetTest, TakesDatasetsOfSeveralFields) {
  const TupleDataset pair(arange(3), arange(3));
  const TupleDataset triple(pair, arange(3));
  EXPECT_EQ(triple[1].size(), 3);
  const TupleDataset copy(triple);
  EXPECT_EQ(copy[1].size(), 3);
}

TEST(TupleDatasetTest, LengthsMustAgree) {
  EXPECT_THAT(error_of<ValueError>([] { TupleDataset(arange(3), arange(2)); }),
              HasSubstr("3 examples in dataset 0 and 2 in dataset 1"));
  EXPECT_THAT(
      error_of<ValueError>([] { TupleDataset(std::vector<Dataset>()); }),
      HasSubstr("got none"));
}

TEST(DictDatasetTest, NamesItsFields) {
  const DictDataset dataset({{"x", arange(3)}, {"t", array({7, 8, 9})}});
  EXPECT_EQ(dataset[1]["t"].item<int64_t>(), 8);
  EXPECT_THAT(*dataset[1].names(), ElementsAre("x", "t"));
  EXPECT_THAT(error_of<ValueError>([] {
                DictDataset({{"x", arange(3)}, {"x", arange(3)}});
              }),
              HasSubstr("got 'x' twice"));
  const TupleDataset pair(arange(3), arange(3));
  EXPECT_THROW((DictDataset({{"x", pair}})[0]), ValueError);
}

TEST(ConcatenatedDatasetTest, PutsDatasetsEndToEnd) {
  const ConcatenatedDataset dataset(arange(2), arange(0), arange(3));
  EXPECT_THAT(values_of(dataset), ElementsAre(0, 1, 0, 1, 2));
  EXPECT_THROW(dataset[5], IndexError);
  EXPECT_EQ(concat_examples(Batch(dataset, array({4, 1})))[0].size(), 2);
}

TEST(TransformDatasetTest, AppliesTheFunctionOnAccess) {
  int calls = 0;
  const TransformDataset dataset(arange(4), [&](const Example& in) {
    ++calls;
    return Example{in[0] * int64_t{10}, in[0]};
  });
  EXPECT_EQ(dataset.size(), 4);
  EXPECT_EQ(calls, 0);
  EXPECT_THAT(concat_examples(Batch(dataset, array({1, 3})))[0],
              IsArray(array({10, 30})));
  EXPECT_EQ(calls, 2);
  EXPECT_THROW(TransformDataset(arange(4), nullptr), ValueError);
  EXPECT_THROW(TransformDataset(arange(4), nullptr, 1), ValueError);
}

TEST(SubDatasetTest, IsARange) {
  const SubDataset dataset(arange(10), 2, 5);
  EXPECT_THAT(values_of(dataset), ElementsAre(2, 3, 4));
  EXPECT_THAT(gathered_values_of(dataset), ElementsAre(2, 3, 4));
  EXPECT_THROW(dataset[3], IndexError);
}

TEST(SubDatasetTest, FollowsAnOrder) {
  const Array order = array({4, 3, 2, 1, 0});
  const SubDataset dataset(arange(5), 1, 4, order);
  order.fill(0);  // the order belongs to the dataset
  EXPECT_THAT(values_of(dataset), ElementsAre(3, 2, 1));
  EXPECT_THAT(gathered_values_of(dataset), ElementsAre(3, 2, 1));
  const SubDataset nested(dataset, 1, 3);
  EXPECT_THAT(gathered_values_of(nested), ElementsAre(2, 1));
}

TEST(SubDatasetTest, RejectsOtherRangesAndOrders) {
  EXPECT_THAT(error_of<ValueError>([] { SubDataset(arange(5), 3, 6); }),
              HasSubstr("0 <= start <= finish <= 5, got 3 and 6"));
  EXPECT_THROW(SubDataset(arange(5), -1, 3), ValueError);
  EXPECT_THROW(SubDataset(arange(5), 3, 2), ValueError);
  EXPECT_THAT(
      error_of<ValueError>([] { SubDataset(arange(5), 0, 5, arange(4)); }),
      HasSubstr("an order of 5 int64, got int64"));
  EXPECT_THROW(SubDataset(arange(2), 0, 1, array({0.0, 1.0})), ValueError);
  EXPECT_THAT(error_of<IndexError>([] {
                SubDataset(arange(2), 0, 1, array({0, 2}));
              }),
              HasSubstr("of 2 examples, got 2"));
  EXPECT_THROW(SubDataset(arange(2), 0, 1, array({0, -1})), IndexError);
}

TEST(SplitDatasetTest, GivesTheFirstExamplesAndTheOthers) {
  const auto [first, second] = split_dataset(arange(5), 2);
  EXPECT_THAT(values_of(first), ElementsAre(0, 1));
  EXPECT_THAT(values_of(second), ElementsAre(2, 3, 4));
  EXPECT_EQ(split_dataset(arange(5), 0).first.size(), 0);
  EXPECT_THAT(error_of<ValueError>([] { split_dataset(arange(5), 5); }),
              HasSubstr("0 <= split_at < 5, got 5"));
  EXPECT_THROW(split_dataset(arange(5), -1), ValueError);
}

TEST(SplitDatasetTest, RandomPartsAreAllOfIt) {
  const auto [first, second] = split_dataset_random(arange(100), 70, 3);
  EXPECT_EQ(first.size(), 70);
  std::vector<int64_t> all = values_of(first);
  EXPECT_FALSE(std::ranges::is_sorted(all));
  for (const int64_t value : values_of(second)) all.push_back(value);
  std::ranges::sort(all);
  for (int64_t i = 0; i < 100; ++i) EXPECT_EQ(all[i], i);
}

TEST(SplitDatasetTest, ASeedGivesTheSameParts) {
  const auto parts = [](std::optional<uint64_t> seed) {
    return values_of(split_dataset_random(arange(50), 25, seed).first);
  };
  EXPECT_EQ(parts(3), parts(3));
  EXPECT_NE(parts(3), parts(4));
  EXPECT_NE(parts({}), parts({}));
  const auto before = array::random::generator(native_device()).state();
  parts(3);
  EXPECT_EQ(array::random::generator(native_device()).state(), before);
}

TEST(SplitDatasetTest, NPartsAreOfOneSize) {
  const auto parts = split_dataset_n(arange(7), 3);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_THAT(values_of(parts[0]), ElementsAre(0, 1));
  EXPECT_THAT(values_of(parts[2]), ElementsAre(4, 5));
  EXPECT_THROW(split_dataset_n(arange(7), 0), ValueError);
  std::set<int64_t> seen;
  for (const SubDataset& part : split_dataset_n_random(arange(6), 2, 1)) {
    EXPECT_EQ(part.size(), 3);
    for (const int64_t value : values_of(part)) seen.insert(value);
  }
  EXPECT_EQ(seen.size(), 6u);
}

TEST(CrossValidationTest, EachFoldIsTestedOnce) {
  const auto folds = get_cross_validation_datasets(arange(5), 2);
  ASSERT_EQ(folds.size(), 2u);
  EXPECT_THAT(values_of(folds[0].first), ElementsAre(2, 3, 4));
  EXPECT_THAT(values_of(folds[0].second), ElementsAre(0, 1));
  EXPECT_THAT(values_of(folds[1].first), ElementsAre(0, 1));
  EXPECT_THAT(values_of(folds[1].second), ElementsAre(2, 3, 4));
  EXPECT_THAT(
      error_of<ValueError>([] { get_cross_validation_datasets(arange(5), 6); }),
      HasSubstr("1 <= n_fold <= 5, got 6"));
}

TEST(CrossValidationTest, RandomFoldsCoverTheDataset) {
  std::vector<int64_t> tested;
  for (const auto& [train, test] :
       get_cross_validation_datasets_random(arange(7), 3, 5)) {
    EXPECT_EQ(train.size() + test.size(), 7);
    for (const int64_t value : values_of(test)) tested.push_back(value);
  }
  EXPECT_THAT(tested, UnorderedElementsAre(0, 1, 2, 3, 4, 5, 6));
}

}  // namespace
}  // namespace catena::datasets
