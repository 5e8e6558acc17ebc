#include "catena/examples/ptb/parallel_sequential_iterator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/serializers/npz.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::examples {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// The words of a text of that length: 10, 11, 12, ....
Array text(int32_t length) {
  return array::arange(10, 10 + length, 1, Dtype::kInt32);
}

std::vector<int32_t> field(const dataset::NextBatch& batch, int64_t i) {
  return batch->gather().value()[i].to_vector<int32_t>();
}

TEST(ParallelSequentialIteratorTest, ReadsAtEvenlySpacedPlaces) {
  ParallelSequentialIterator iterator(text(7), 3);  // from 0, 7 / 3, 14 / 3
  const auto first = iterator.next();
  EXPECT_THAT(field(first, 0), ElementsAre(10, 12, 14));
  EXPECT_THAT(field(first, 1), ElementsAre(11, 13, 15));
  EXPECT_EQ(first->size(), 3);
  const auto second = iterator.next();
  EXPECT_THAT(field(second, 0), ElementsAre(11, 13, 15));
  EXPECT_THAT(field(second, 1), ElementsAre(12, 14, 16));
  const auto third = iterator.next();
  EXPECT_THAT(field(third, 0), ElementsAre(12, 14, 16));
  EXPECT_THAT(field(third, 1), ElementsAre(13, 15, 10));
}

TEST(ParallelSequentialIteratorTest, AnEpochEndsWhenAsManyWordsWereRead) {
  ParallelSequentialIterator iterator(text(8), 3);
  EXPECT_EQ(iterator.epoch_detail(), 0);
  EXPECT_EQ(iterator.previous_epoch_detail(), std::nullopt);
  EXPECT_FALSE(iterator.is_new_epoch());
  std::vector<int64_t> epochs;
  std::vector<bool> is_new;
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE(iterator.next());
    epochs.push_back(iterator.epoch());
    is_new.push_back(iterator.is_new_epoch());
    EXPECT_DOUBLE_EQ(iterator.epoch_detail(), 3.0 * (i + 1) / 8);
    EXPECT_DOUBLE_EQ(iterator.previous_epoch_detail().value(), 3.0 * i / 8);
  }
  EXPECT_THAT(epochs, ElementsAre(0, 0, 1, 1, 1, 2));
  EXPECT_THAT(is_new, ElementsAre(false, false, true, false, false, true));
}

TEST(ParallelSequentialIteratorTest, EndsAfterOneEpochWithoutRepeat) {
  ParallelSequentialIterator iterator(text(8), 3, {.repeat = false});
  EXPECT_FALSE(iterator.repeat());
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(iterator.next());
  EXPECT_FALSE(iterator.next());
  iterator.reset();
  EXPECT_EQ(iterator.epoch(), 0);
  EXPECT_THAT(field(iterator.next(), 0), ElementsAre(10, 12, 15));
}

TEST(ParallelSequentialIteratorTest, ACopyReadsOnItsOwn) {
  ParallelSequentialIterator iterator(text(6), 2);
  iterator.next();
  const auto copy = iterator.copy();
  EXPECT_THAT(field(copy->next(), 0), ElementsAre(11, 14));
  EXPECT_THAT(field(iterator.next(), 0), ElementsAre(11, 14));
}

TEST(ParallelSequentialIteratorTest, ALoadedIteratorContinues) {
  const testing::TempFolder folder;
  const std::string file = folder.file("iterator.npz");
  ParallelSequentialIterator saved(text(6), 2);
  for (int i = 0; i < 4; ++i) saved.next();
  serializers::save_npz(file, saved);
  ParallelSequentialIterator loaded(text(6), 2);
  serializers::load_npz(file, loaded);
  EXPECT_EQ(loaded.epoch(), 1);
  EXPECT_EQ(loaded.epoch_detail(), saved.epoch_detail());
  EXPECT_EQ(loaded.previous_epoch_detail(), saved.previous_epoch_detail());
  EXPECT_EQ(loaded.is_new_epoch(), saved.is_new_epoch());
  EXPECT_EQ(field(loaded.next(), 0), field(saved.next(), 0));
}

TEST(ParallelSequentialIteratorTest, RejectsWhatItCannotRead) {
  const auto error = ThrowsMessage<ValueError>(HasSubstr("both positive, got"));
  EXPECT_THAT([] { ParallelSequentialIterator(text(0), 2); }, error);
  EXPECT_THAT([] { ParallelSequentialIterator(text(6), 0); }, error);
  EXPECT_THAT([] { ParallelSequentialIterator(text(6).reshape(2, 3), 2); },
              error);
}

}  // namespace
}  // namespace catena::examples
