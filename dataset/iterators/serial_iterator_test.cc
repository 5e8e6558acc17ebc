#include "catena/dataset/iterators/serial_iterator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "catena/array/concatenate.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/dataset/convert.h"
#include "catena/dataset/datasets/tuple_dataset.h"
#include "catena/serializers/npz.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::iterators {
namespace {

using array::arange;
using array::array;
using ::catena::testing::error_of;
using dataset::Batch;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::IsArray;
using testing::TempFolder;

std::vector<int64_t> values_of(const Batch& batch) {
  std::vector<int64_t> values;
  for (const auto& example : batch.examples()) {
    values.push_back(example[0].item<int64_t>());
  }
  return values;
}

std::vector<int64_t> next_values(SerialIterator& iterator) {
  const auto batch = iterator.next();
  return batch ? values_of(*batch) : std::vector<int64_t>();
}

std::vector<int64_t> next_batches(SerialIterator& iterator, int count) {
  std::vector<int64_t> values;
  for (int i = 0; i < count; ++i) {
    for (const int64_t value : next_values(iterator)) values.push_back(value);
  }
  return values;
}

TEST(SerialIteratorTest, BatchesOfOneSweepMayBeShort) {
  SerialIterator iterator(arange(5), 2, {.repeat = false, .shuffle = false});
  EXPECT_EQ(iterator.batch_size(), 2);
  EXPECT_EQ(iterator.epoch_detail(), 0.0);
  EXPECT_EQ(iterator.previous_epoch_detail(), std::nullopt);
  EXPECT_THAT(next_values(iterator), ElementsAre(0, 1));
  EXPECT_FALSE(iterator.is_new_epoch());
  EXPECT_DOUBLE_EQ(iterator.epoch_detail(), 0.4);
  EXPECT_EQ(iterator.previous_epoch_detail(), 0.0);
  EXPECT_THAT(next_values(iterator), ElementsAre(2, 3));
  EXPECT_THAT(next_values(iterator), ElementsAre(4));
  EXPECT_TRUE(iterator.is_new_epoch());
  EXPECT_EQ(iterator.epoch(), 1);
  EXPECT_EQ(iterator.epoch_detail(), 1.0);
  EXPECT_DOUBLE_EQ(*iterator.previous_epoch_detail(), 0.8);
  EXPECT_THAT(error_of<ValueError>([&] { *iterator.next(); }),
              HasSubstr("the iterator has ended"));
  EXPECT_THROW(iterator.next().value(), ValueError);
  EXPECT_FALSE(iterator.next().has_value());
  EXPECT_FALSE(iterator.next().has_value());
  EXPECT_EQ(iterator.epoch(), 1);
}

TEST(SerialIteratorTest, RepeatedBatchesSpanSweeps) {
  SerialIterator iterator(arange(5), 2, {.shuffle = false});
  EXPECT_THAT(next_batches(iterator, 2), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(next_values(iterator), ElementsAre(4, 0));
  EXPECT_TRUE(iterator.is_new_epoch());
  EXPECT_EQ(iterator.epoch(), 1);
  EXPECT_DOUBLE_EQ(iterator.epoch_detail(), 1.2);
  EXPECT_EQ(iterator.current_position(), 1);
  EXPECT_THAT(next_values(iterator), ElementsAre(1, 2));
  EXPECT_FALSE(iterator.is_new_epoch());
}

TEST(SerialIteratorTest, ABatchMayHoldSeveralSweeps) {
  SerialIterator iterator(arange(3), 7, {.shuffle = false});
  EXPECT_THAT(next_values(iterator), ElementsAre(0, 1, 2, 0, 1, 2, 0));
  EXPECT_EQ(iterator.epoch(), 2);
  EXPECT_TRUE(iterator.is_new_epoch());
  SerialIterator once(arange(3), 7, {.repeat = false, .shuffle = false});
  EXPECT_THAT(next_values(once), ElementsAre(0, 1, 2));
  EXPECT_EQ(once.epoch(), 1);
}

TEST(SerialIteratorTest, LoopsWithFor) {
  SerialIterator iterator(arange(5), 2, {.repeat = false, .shuffle = false});
  std::vector<int64_t> sizes;
  for (const Batch& batch : iterator) sizes.push_back(batch.size());
  EXPECT_THAT(sizes, ElementsAre(2, 2, 1));
}

TEST(SerialIteratorTest, EachSweepHasEveryExampleInAnotherOrder) {
  SerialIterator iterator(arange(50), 10, {.seed = 1});
  std::vector<int64_t> first = next_batches(iterator, 5);
  std::vector<int64_t> second = next_batches(iterator, 5);
  EXPECT_NE(first, second);
  EXPECT_FALSE(std::ranges::is_sorted(first));
  for (std::vector<int64_t>* sweep : {&first, &second}) {
    std::ranges::sort(*sweep);
    for (int64_t i = 0; i < 50; ++i) EXPECT_EQ((*sweep)[i], i);
  }
}

TEST(SerialIteratorTest, ASeedGivesTheSameOrders) {
  SerialIterator a(arange(20), 7, {.seed = 5});
  SerialIterator b(arange(20), 7, {.seed = 5});
  SerialIterator c(arange(20), 7, {.seed = 6});
  const auto expected = next_batches(a, 9);
  EXPECT_EQ(next_batches(b, 9), expected);
  EXPECT_NE(next_batches(c, 9), expected);
}

TEST(SerialIteratorTest, WithoutASeedTheNativeGeneratorDecides) {
  array::random::seed(9, native_device());
  SerialIterator a(arange(20), 7);
  SerialIterator b(arange(20), 7);
  array::random::seed(9, native_device());
  SerialIterator c(arange(20), 7);
  const auto expected = next_batches(a, 9);
  EXPECT_NE(next_batches(b, 9), expected);
  EXPECT_EQ(next_batches(c, 9), expected);
}

TEST(SerialIteratorTest, UsesTheOrderSampler) {
  std::vector<int64_t> positions;
  const auto backwards = [&](const Array& order, int64_t position) {
    positions.push_back(position);
    EXPECT_EQ(order.size(), 4);
    return array({3, 2, 1, 0});
  };
  SerialIterator iterator(arange(4), 3, {.order_sampler = backwards});
  EXPECT_THAT(next_batches(iterator, 2), ElementsAre(3, 2, 1, 0, 3, 2));
  EXPECT_THAT(positions, ElementsAre(0, 3));
}

TEST(SerialIteratorTest, AnOrderMayLeaveOutAndRepeatExamples) {
  const auto twice = [](const Array&, int64_t) { return array({1, 1, 0}); };
  SerialIterator iterator(arange(10), 2, {.order_sampler = twice});
  EXPECT_THAT(next_batches(iterator, 2), ElementsAre(1, 1, 0, 1));
  EXPECT_DOUBLE_EQ(iterator.epoch_detail(), 1 + 1 / 3.0);
}

TEST(SerialIteratorTest, TheShufflingSamplerShuffles) {
  SerialIterator a(arange(20), 7, {.seed = 5});
  SerialIterator b(arange(20), 7,
                   {.order_sampler = ShuffleOrderSampler(), .seed = 5});
  EXPECT_EQ(next_batches(a, 9), next_batches(b, 9));
}

TEST(SerialIteratorTest, AnOrderSamplerThatThrowsLeavesThePosition) {
  int calls = 0;
  const auto sampler = [&](const Array& order, int64_t) {
    if (++calls == 2) throw std::runtime_error("not now");
    return order;
  };
  SerialIterator iterator(arange(5), 3, {.order_sampler = sampler});
  EXPECT_THAT(next_values(iterator), ElementsAre(0, 1, 2));
  EXPECT_THROW(iterator.next(), std::runtime_error);
  EXPECT_EQ(iterator.current_position(), 3);
  EXPECT_EQ(iterator.previous_epoch_detail(), 0.0);
  EXPECT_THAT(next_values(iterator), ElementsAre(3, 4, 0));
}

TEST(SerialIteratorTest, RejectsOrdersThatDoNotFit) {
  const auto iterate = [](const Array& order) {
    SerialIterator(arange(4), 3, {.order_sampler = [&](const Array&, int64_t) {
                     return order;
                   }});
  };
  EXPECT_THAT(error_of<IndexError>([&] {
                iterate(array({0, 4}));
              }),
              HasSubstr("of 4 examples, got 4"));
  EXPECT_THAT(error_of<ValueError>([&] {
                iterate(array({0.0, 1.0}));
              }),
              HasSubstr("got float64"));
  EXPECT_THAT(error_of<ValueError>([&] { iterate(Array()); }),
              HasSubstr("got an undefined array"));
  EXPECT_THAT(error_of<ValueError>([&] { iterate(arange(0)); }),
              HasSubstr("got an empty one"));
  int calls = 0;
  SerialIterator shrinking(arange(4), 3,
                           {.order_sampler = [&](const Array&, int64_t) {
                             return arange(4 - calls++);
                           }});
  shrinking.next();
  EXPECT_THROW(shrinking.next(), ValueError);
}

TEST(SerialIteratorTest, RejectsBadArguments) {
  EXPECT_THAT(error_of<ValueError>([] { SerialIterator(arange(3), 0); }),
              HasSubstr("batch_size >= 1, got 0"));
  EXPECT_THAT(error_of<ValueError>([] { SerialIterator(arange(0), 1); }),
              HasSubstr("an empty dataset"));
  const auto sampler = [](const Array& order, int64_t) { return order; };
  EXPECT_THAT(error_of<ValueError>([&] {
                SerialIterator(arange(3), 1,
                               {.shuffle = true, .order_sampler = sampler});
              }),
              HasSubstr("got both"));
}

TEST(SerialIteratorTest, AnEmptyDatasetEndsAtOnce) {
  SerialIterator iterator(arange(0), 3, {.repeat = false});
  EXPECT_FALSE(iterator.next().has_value());
  EXPECT_EQ(iterator.epoch_detail(), 0.0);
}

TEST(SerialIteratorTest, ResetGoesBackToTheStart) {
  SerialIterator iterator(arange(5), 2, {.repeat = false, .shuffle = false});
  next_batches(iterator, 4);
  iterator.reset();
  EXPECT_EQ(iterator.epoch(), 0);
  EXPECT_FALSE(iterator.is_new_epoch());
  EXPECT_EQ(iterator.previous_epoch_detail(), std::nullopt);
  EXPECT_THAT(next_batches(iterator, 4), ElementsAre(0, 1, 2, 3, 4));
}

TEST(SerialIteratorTest, ACopyGoesItsOwnWay) {
  SerialIterator iterator(arange(20), 7, {.seed = 5});
  SerialIterator same(arange(20), 7, {.seed = 5});
  iterator.next();
  same.next();
  const auto copy = iterator.copy();
  for (int i = 0; i < 5; ++i) copy->next();
  copy->reset();
  EXPECT_EQ(next_batches(iterator, 9), next_batches(same, 9));
}

class SerialIteratorFileTest : public ::testing::Test {
 protected:
  void save(SerialIterator& iterator) const {
    serializers::save_npz(file, iterator);
  }
  void load(SerialIterator& iterator) const {
    serializers::load_npz(file, iterator);
  }
  TempFolder folder;
  std::string file = folder.file("iterator.npz");
};

TEST_F(SerialIteratorFileTest, ContinuesToTheBit) {
  for (int before = 0; before < 7; ++before) {
    SerialIterator iterator(arange(10), 4, {.seed = 3});
    next_batches(iterator, before);
    save(iterator);
    SerialIterator resumed(arange(10), 4, {.seed = 1234});
    next_batches(resumed, 2);
    load(resumed);
    EXPECT_EQ(resumed.epoch(), iterator.epoch());
    EXPECT_EQ(resumed.is_new_epoch(), iterator.is_new_epoch());
    EXPECT_EQ(resumed.epoch_detail(), iterator.epoch_detail());
    EXPECT_EQ(resumed.previous_epoch_detail(),
              iterator.previous_epoch_detail());
    EXPECT_EQ(next_batches(resumed, 9), next_batches(iterator, 9)) << before;
  }
}

TEST_F(SerialIteratorFileTest, AnOrderSamplersRandomnessIsSaved) {
  // The first half forwards, the others at random.
  const auto sampler = [](const Array&, int64_t,
                          array::random::Generator& generator) {
    return array::concatenate({arange(5), generator.permutation(5) + 5});
  };
  SerialIterator iterator(arange(10), 4, {.order_sampler = sampler, .seed = 3});
  next_batches(iterator, 4);
  save(iterator);
  SerialIterator resumed(arange(10), 4, {.order_sampler = sampler, .seed = 4});
  load(resumed);
  EXPECT_EQ(next_batches(resumed, 9), next_batches(iterator, 9));
}

TEST_F(SerialIteratorFileTest, HasTheOriginalsKeys) {
  SerialIterator iterator(arange(10), 4, {.shuffle = false});
  next_batches(iterator, 3);
  save(iterator);
  const auto entries = array::load_npz(file);
  EXPECT_EQ(entries.size(), 4u);
  EXPECT_EQ(entries.at("current_position").array().item<int64_t>(), 2);
  EXPECT_EQ(entries.at("epoch").array().item<int64_t>(), 1);
  EXPECT_EQ(entries.at("is_new_epoch").array().dtype(), Dtype::kBool);
  EXPECT_DOUBLE_EQ(entries.at("previous_epoch_detail").array().item<double>(),
                   0.8);
}

TEST_F(SerialIteratorFileTest, TheOriginalsFilesNeedNoRandomState) {
  array::savez(file, {{"current_position", array(4)},
                      {"epoch", array(2)},
                      {"is_new_epoch", array(false)},
                      {"order", array({4, 3, 2, 1, 0})},
                      {"previous_epoch_detail", array(2.4)}});
  SerialIterator iterator(arange(5), 2, {.seed = 3});
  load(iterator);
  EXPECT_THAT(next_values(iterator)[0], 0);
  EXPECT_EQ(iterator.epoch(), 3);
}

TEST_F(SerialIteratorFileTest, RejectsWhatDoesNotFitAndChangesNothing) {
  const auto expect_error = [&](const Array& position, const Array& epoch,
                                const Array& order, const char* message) {
    array::savez(file, {{"current_position", position},
                        {"epoch", epoch},
                        {"is_new_epoch", array(true)},
                        {"order", order},
                        {"previous_epoch_detail", array(0.5)}});
    SerialIterator iterator(arange(5), 2, {.seed = 3});
    SerialIterator untouched(arange(5), 2, {.seed = 3});
    EXPECT_THAT(error_of<IoError>([&] { load(iterator); }), HasSubstr(message));
    EXPECT_EQ(next_batches(iterator, 5), next_batches(untouched, 5));
  };
  const Array good = arange(5);
  expect_error(array(5), array(0), good, "current_position: expected");
  expect_error(array(-1), array(0), good, "current_position: expected");
  expect_error(array(0), array(-1), good, "epoch: expected");
  expect_error(array(0), array(0), arange(4), "order: expected 5 indices");
  expect_error(array(0), array(0), array({0, 1, 2, 3, 5}), "order: expected");
  expect_error(array(0), array(0), array({0.5}), "order: expected");
}

}  // namespace
}  // namespace catena::iterators
