#include "catena/examples/word2vec/window_iterator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/serializers/npz.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::examples {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// A text in which each word is its place.
Array text(int32_t length) { return array::arange(length, Dtype::kInt32); }

struct Windows {
  explicit Windows(const dataset::NextBatch& batch) {
    const dataset::Example arrays = batch->gather().value();
    centers = arrays[0].to_vector<int32_t>();
    contexts = arrays[1].to_vector<int32_t>();
    width = arrays[1].shape()[1];
  }
  std::vector<int32_t> centers;
  std::vector<int32_t> contexts;
  int64_t width;
};

class WindowIteratorTest : public ::testing::Test {
 protected:
  void SetUp() override { array::random::seed(0); }
};

TEST_F(WindowIteratorTest, ContextsAreTheWordsAround) {
  WindowIterator iterator(text(50), 3, 8);
  std::set<int64_t> widths;
  for (int i = 0; i < 30; ++i) {
    const Windows got(iterator.next());
    widths.insert(got.width);
    auto context = got.contexts.begin();
    for (const int32_t center : got.centers) {
      const auto w = static_cast<int32_t>(got.width / 2);
      for (int32_t word = center - w; word <= center + w; ++word) {
        if (word == center) continue;
        EXPECT_EQ(*context++, word);
      }
    }
  }
  EXPECT_EQ(widths, (std::set<int64_t>{2, 4, 6}));
}

TEST_F(WindowIteratorTest, AnEpochHasEachCenterOnceInRandomOrder) {
  WindowIterator iterator(text(20), 2, 6);  // 16 centers
  EXPECT_EQ(iterator.previous_epoch_detail(), std::nullopt);
  std::vector<std::vector<int32_t>> orders;
  for (int64_t epoch = 0; epoch < 2; ++epoch) {
    std::vector<int32_t> order;
    for (const int64_t size : {6, 6, 4}) {
      EXPECT_EQ(iterator.epoch(), epoch);
      const double before = iterator.epoch_detail();
      const Windows got(iterator.next());
      EXPECT_EQ(std::ssize(got.centers), size);
      order.insert(order.end(), got.centers.begin(), got.centers.end());
      EXPECT_EQ(iterator.is_new_epoch(), size == 4);
      EXPECT_EQ(iterator.previous_epoch_detail(), before);
      EXPECT_DOUBLE_EQ(iterator.epoch_detail(),
                       before + static_cast<double>(size) / 16);
    }
    orders.push_back(order);
    std::sort(order.begin(), order.end());
    for (int32_t i = 0; i < 16; ++i) EXPECT_EQ(order[i], i + 2);
  }
  EXPECT_NE(orders[0], orders[1]);
}

TEST_F(WindowIteratorTest, EndsAfterOneEpochWithoutRepeat) {
  WindowIterator iterator(text(20), 2, 10, {.repeat = false});
  EXPECT_FALSE(iterator.repeat());
  EXPECT_TRUE(iterator.next());
  EXPECT_TRUE(iterator.next());
  EXPECT_FALSE(iterator.next());
  const auto copy = iterator.copy();
  copy->reset();
  EXPECT_EQ(copy->epoch_detail(), 0);
  EXPECT_TRUE(copy->next());
  EXPECT_FALSE(iterator.next());
}

TEST_F(WindowIteratorTest, ALoadedIteratorContinues) {
  const testing::TempFolder folder;
  const std::string file = folder.file("iterator.npz");
  WindowIterator saved(text(30), 2, 8);
  for (int i = 0; i < 5; ++i) saved.next();
  serializers::save_npz(file, saved);
  WindowIterator loaded(text(30), 2, 8);
  serializers::load_npz(file, loaded);
  EXPECT_EQ(loaded.epoch(), saved.epoch());
  EXPECT_EQ(loaded.epoch_detail(), saved.epoch_detail());
  EXPECT_EQ(loaded.previous_epoch_detail(), saved.previous_epoch_detail());
  EXPECT_EQ(loaded.is_new_epoch(), saved.is_new_epoch());
  // The sizes of windows come from the device's generator, which a trainer
  // saves.
  for (uint64_t i = 0; i < 4; ++i) {
    array::random::seed(i);
    const Windows expected(saved.next());
    array::random::seed(i);
    const Windows got(loaded.next());
    EXPECT_EQ(got.centers, expected.centers);
    EXPECT_EQ(got.contexts, expected.contexts);
  }
}

TEST_F(WindowIteratorTest, RejectsWhatItCannotRead) {
  const auto error = ThrowsMessage<ValueError>(
      HasSubstr("WindowIterator: expected window and batch_size of at least"));
  EXPECT_THAT([] { WindowIterator(text(10), 0, 2); }, error);
  EXPECT_THAT([] { WindowIterator(text(10), 2, 0); }, error);
  EXPECT_THAT([] { WindowIterator(text(4), 2, 2); }, error);
  EXPECT_THAT([] { WindowIterator(text(10).reshape(2, 5), 1, 2); }, error);
}

}  // namespace
}  // namespace catena::examples
