#include "catena/dataset/iterators/multithread_iterator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/core/parallel.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/random/random.h"
#include "catena/dataset/convert.h"
#include "catena/dataset/datasets/transform_dataset.h"
#include "catena/dataset/iterators/serial_iterator.h"
#include "catena/dataset/iterators/testing/iterator_steps.h"
#include "catena/serializers/dictionary.h"
#include "catena/serializers/npz.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::iterators {
namespace {

using array::arange;
using ::catena::testing::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TempFolder;

// A gate that counts the threads waiting at it, and can let a single one
// through.
class Gate {
 public:
  explicit Gate(int64_t opens_for = INT64_MAX) : opens_for_(opens_for) {}
  void pass() {
    std::unique_lock lock(mutex_);
    if (++arrived_ >= opens_for_) open_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void wait_for_arrivals(int64_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return arrived_ >= count; });
  }

 private:
  const int64_t opens_for_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  int64_t arrived_ = 0;
};

// Adds noise that depends on the example and the seed.
TEST(MultithreadIteratorTest, RandomTransformsRepeatWhateverTheThreads) {
  const auto with_noise = [](uint64_t seed) {
    return datasets::TransformDataset(
        arange(40),
        [](const dataset::Example& example, array::random::Generator& random) {
          return dataset::Example{example[0], random.uniform(0, 1, {})};
        },
        seed);
  };
  const auto drawn = [](dataset::Iterator& iterator) {
    std::vector<double> numbers(40);
    for (int i = 0; i < 10; ++i) {
      const auto batch = dataset::concat_examples(*iterator.next());
      for (int64_t k = 0; k < 4; ++k) {
        numbers[static_cast<size_t>(batch[0][k].item<double>())] =
            batch[1][k].item<double>();
      }
    }
    return numbers;
  };
  SerialIterator serial(with_noise(1), 4, {.shuffle = false});
  const std::vector<double> expected = drawn(serial);
  EXPECT_EQ(std::set<double>(expected.begin(), expected.end()).size(), 40u);
  for (int sweep = 0; sweep < 3; ++sweep) {
    MultithreadIterator iterator(with_noise(1), 4,
                                 {.n_threads = 4, .n_prefetch = 3});
    EXPECT_EQ(drawn(iterator), expected);
    EXPECT_EQ(drawn(iterator), expected);
  }
  MultithreadIterator other(with_noise(2), 4, {.n_threads = 4});
  for (const double number : drawn(other)) {
    EXPECT_FALSE(std::ranges::count(expected, number)) << number;
  }
}

TEST(MultithreadIteratorTest, GivesWhatASerialIteratorGives) {
  for (const int64_t threads : {1, 3}) {
    for (const int64_t prefetch : {0, 4}) {
      for (const int64_t batch : {1, 4, 10, 23}) {
        for (const bool repeat : {false, true}) {
          for (const bool shuffle : {false, true}) {
            SCOPED_TRACE(str("threads ", threads, " prefetch ", prefetch,
                             " batch ", batch, " repeat ", repeat));
            MultithreadIterator iterator(Generated(10), batch,
                                         {.repeat = repeat,
                                          .shuffle = shuffle,
                                          .n_threads = threads,
                                          .n_prefetch = prefetch,
                                          .seed = 3});
            SerialIterator serial(
                Generated(10), batch,
                {.repeat = repeat, .shuffle = shuffle, .seed = 3});
            expect_same_steps(iterator, serial, 13);
          }
        }
      }
    }
  }
}

TEST(MultithreadIteratorTest, BatchesKnowTheirExamplesInTheDataset) {
  // Stacked, gathered at once, and of different shapes.
  std::vector<Array> uneven;
  for (int64_t i = 0; i < 10; ++i) {
    uneven.push_back(array::full({i == 7 ? 2 : 1}, i));
  }
  const dataset::Dataset sets[] = {Generated(10), arange(10), uneven};
  for (const dataset::Dataset& set : sets) {
    MultithreadIterator iterator(set, 5, {.n_threads = 3});
    for (int i = 0; i < 4; ++i) {
      const dataset::Batch batch = *iterator.next();
      const dataset::Batch odd = batch.share(1, 2);
      for (int64_t k = 0; k < 5; ++k) {
        const auto value = batch[k][0].ravel()[0].item<double>();
        EXPECT_EQ(batch.index_in_dataset(k), static_cast<int64_t>(value));
        if (k % 2 == 1) {
          EXPECT_EQ(odd.index_in_dataset(k / 2), batch.index_in_dataset(k));
        }
      }
    }
  }
  MultithreadIterator bad(uneven, 10, {.seed = 1});
  EXPECT_THAT(
      error_of<ShapeError>([&] { dataset::concat_examples(*bad.next()); }),
      HasSubstr("(dataset[7])"));
}

TEST(MultithreadIteratorTest, SaysWhatItWasMadeOf) {
  MultithreadIterator iterator(arange(7), 3, {.repeat = false});
  EXPECT_EQ(iterator.batch_size(), 3);
  EXPECT_FALSE(iterator.repeat());
  EXPECT_EQ(iterator.dataset().size(), 7);
  EXPECT_EQ(iterator.current_position(), 0);
  EXPECT_EQ(iterator.epoch_detail(), 0.0);
  EXPECT_EQ(iterator.previous_epoch_detail(), std::nullopt);
  iterator.next();
  EXPECT_EQ(iterator.current_position(), 3);
}

TEST(MultithreadIteratorTest, ReadsAheadAsFarAsItSays) {
  Gate gate(1);
  std::atomic<int64_t> reads = 0;
  const auto on_read = [&](int64_t) {
    ++reads;
    gate.pass();
  };
  MultithreadIterator iterator(Generated(100, on_read), 4,
                               {.n_threads = 3, .n_prefetch = 2});
  EXPECT_EQ(reads, 0);  // not before it is asked
  iterator.next();
  gate.wait_for_arrivals(12);
  iterator.next();
  gate.wait_for_arrivals(16);
  EXPECT_EQ(reads, 16);
}

TEST(MultithreadIteratorTest, ReadsExamplesOfAMinibatchAtOnce) {
  Gate gate(3);
  const auto on_read = [&](int64_t) { gate.pass(); };
  MultithreadIterator iterator(Generated(12, on_read), 12,
                               {.n_threads = 3, .n_prefetch = 0});
  EXPECT_EQ(values_of(iterator.next()).size(), 12u);
}

TEST(MultithreadIteratorTest, TheThreadsHaveTheCallersDeviceAndNoLoopsAtOnce) {
  const int before = get_num_threads();
  set_num_threads(3);
  std::mutex mutex;
  std::set<Device,
           decltype([](Device a, Device b) { return a.index() < b.index(); })>
      devices;
  std::atomic<int> foreign_threads = 0;
  const auto on_read = [&](int64_t) {
    {
      const std::lock_guard lock(mutex);
      devices.insert(current_device());
    }
    const std::thread::id self = std::this_thread::get_id();
    cpu::parallel_for(100, 1, [&](int64_t, int64_t) {
      if (std::this_thread::get_id() != self) ++foreign_threads;
    });
  };
  {
    MultithreadIterator iterator(Generated(10, on_read), 5, {.n_threads = 2});
    const DeviceScope scope(native_device(2));
    iterator.next();
    iterator.finalize();
  }
  set_num_threads(before);
  EXPECT_EQ(devices.size(), 1u);
  EXPECT_EQ(*devices.begin(), native_device(2));
  EXPECT_EQ(foreign_threads, 0);
}

// Throws for some examples.
Generated failing(int64_t size, std::set<int64_t> bad) {
  return Generated(size, [bad = std::move(bad)](int64_t i) {
    if (bad.contains(i)) throw std::runtime_error(str("example ", i));
  });
}

TEST(MultithreadIteratorTest, AnExceptionComesWithItsMinibatch) {
  for (const int64_t threads : {1, 4}) {
    for (int repetition = 0; repetition < 10; ++repetition) {
      MultithreadIterator iterator(failing(20, {9, 10, 11, 17}), 4,
                                   {.shuffle = false, .n_threads = threads});
      EXPECT_THAT(values_of(iterator.next()), ElementsAre(0, 1, 2, 3));
      EXPECT_THAT(values_of(iterator.next()), ElementsAre(4, 5, 6, 7));
      EXPECT_EQ(iterator.current_position(), 8);
      // The first failure in order of the examples, whichever thread failed
      // first.
      EXPECT_THAT(error_of<std::runtime_error>([&] { iterator.next(); }),
                  "example 9");
      // As with a SerialIterator, the next batch follows after a failed read.
      EXPECT_EQ(iterator.current_position(), 12);
      EXPECT_THAT(values_of(iterator.next()), ElementsAre(12, 13, 14, 15));
      EXPECT_THAT(error_of<std::runtime_error>([&] { iterator.next(); }),
                  "example 17");
      EXPECT_EQ(iterator.epoch(), 1);
      EXPECT_THAT(values_of(iterator.next()), ElementsAre(0, 1, 2, 3));
    }
  }
}

TEST(MultithreadIteratorTest, AnExceptionNobodyWaitsForIsDropped) {
  MultithreadIterator iterator(failing(20, {5}), 4,
                               {.shuffle = false, .n_threads = 2});
  iterator.next();
  iterator.reset();
  EXPECT_THAT(values_of(iterator.next()), ElementsAre(0, 1, 2, 3));
}

TEST(MultithreadIteratorTest, WhatTheOrderSamplerThrowsComesInItsPlace) {
  int calls = 0;
  const auto sampler = [&](const Array& order, int64_t) {
    if (++calls == 3) throw std::runtime_error("no third order");
    return order;
  };
  MultithreadIterator iterator(arange(4), 2,
                               {.n_prefetch = 5, .order_sampler = sampler});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values_of(iterator.next()).size(), 2u);
  EXPECT_EQ(calls, 3);
  EXPECT_THAT(error_of<std::runtime_error>([&] { iterator.next(); }),
              "no third order");
  // As with a SerialIterator, the call can be repeated.
  EXPECT_EQ(iterator.epoch_detail(), 1.5);
  EXPECT_THAT(values_of(iterator.next()), ElementsAre(2, 3));
  EXPECT_EQ(iterator.epoch(), 2);
}

TEST(MultithreadIteratorTest, StoppingReadsNoFurtherExample) {
  for (const int64_t threads : {1, 3}) {
    std::atomic<int64_t> reads = 0;
    Gate gate;
    const auto on_read = [&](int64_t i) {
      if (i < 8) return;
      ++reads;
      gate.pass();
    };
    auto iterator = std::make_unique<MultithreadIterator>(
        Generated(1000, on_read), 8,
        MultithreadIteratorOptions{
            .shuffle = false, .n_threads = threads, .n_prefetch = 20});
    iterator->next();
    gate.wait_for_arrivals(threads);  // all threads are in an example
    iterator->reset();                // does not wait for them
    EXPECT_EQ(reads, threads);
    gate.open();
    iterator.reset();
    EXPECT_EQ(reads, threads);
  }
}

TEST(MultithreadIteratorTest, CanBeDestroyedAtAnyMoment) {
  for (int i = 0; i < 60; ++i) {
    MultithreadIterator iterator(Generated(30), 7,
                                 {.n_threads = 1 + i % 4, .n_prefetch = i % 5});
    for (int k = 0; k < i % 6; ++k) iterator.next();
  }
}

TEST(MultithreadIteratorTest, FinalizeEndsTheThreadsAndNextStartsOthers) {
  MultithreadIterator iterator(Generated(10), 3, {.n_threads = 2, .seed = 1});
  SerialIterator serial(Generated(10), 3, {.seed = 1});
  iterator.finalize();
  expect_same_steps(iterator, serial, 2);
  iterator.finalize();
  iterator.finalize();
  expect_same_steps(iterator, serial, 5);
}

TEST(MultithreadIteratorTest, ResetGoesBackToTheStart) {
  MultithreadIterator iterator(Generated(10), 3, {.n_threads = 2, .seed = 1});
  SerialIterator serial(Generated(10), 3, {.seed = 1});
  for (const int steps : {0, 1, 5, 3}) {
    expect_same_steps(iterator, serial, steps);
    iterator.reset();
    serial.reset();
    EXPECT_EQ(iterator.epoch(), 0);
    EXPECT_EQ(iterator.previous_epoch_detail(), std::nullopt);
  }
  MultithreadIterator once(Generated(4), 3, {.repeat = false});
  while (once.next()) {
  }
  once.reset();
  EXPECT_EQ(values_of(once.next()).size(), 3u);
}

TEST(MultithreadIteratorTest, ACopyGoesItsOwnWay) {
  MultithreadIterator iterator(Generated(20), 7, {.n_threads = 2, .seed = 5});
  SerialIterator same(Generated(20), 7, {.seed = 5});
  expect_same_steps(iterator, same, 2);
  const auto copy = iterator.copy();
  const auto same_copy = same.copy();
  expect_same_steps(*copy, *same_copy, 5);
  copy->reset();
  expect_same_steps(iterator, same, 9);
}

// All operations of an iterator, in random order.
TEST(MultithreadIteratorTest, StaysLikeASerialIteratorWhateverIsDone) {
  for (uint32_t seed = 0; seed < 15; ++seed) {
    SCOPED_TRACE(str("seed ", seed));
    std::mt19937 random(seed);
    const auto below = [&](int64_t n) {
      return static_cast<int64_t>(random() % n);
    };
    const int64_t size = 1 + below(40);
    const int64_t batch = 1 + below(12);
    const bool repeat = below(3) > 0;
    MultithreadIterator iterator(Generated(size), batch,
                                 {.repeat = repeat,
                                  .n_threads = 1 + below(4),
                                  .n_prefetch = below(6),
                                  .seed = seed});
    SerialIterator serial(Generated(size), batch,
                          {.repeat = repeat, .seed = seed});
    serializers::DictionarySerializer saved;
    saved.save(iterator);
    for (int i = 0; i < 60; ++i) {
      switch (below(12)) {
        case 0:
          iterator.reset();
          serial.reset();
          break;
        case 1:
          iterator.finalize();
          break;
        case 2:
          saved.save(serial);
          break;
        case 3:
          serializers::DictionaryDeserializer(saved.target()).load(iterator);
          serializers::DictionaryDeserializer(saved.target()).load(serial);
          break;
        default:
          ASSERT_EQ(Step(iterator), Step(serial));
      }
    }
  }
}

class MultithreadIteratorFileTest : public ::testing::Test {
 protected:
  TempFolder folder;
  std::string file = folder.file("iterator.npz");
};

TEST_F(MultithreadIteratorFileTest, ContinuesToTheBitWhateverWasReadAhead) {
  for (int before = 0; before < 7; ++before) {
    for (const int64_t prefetch : {0, 1, 9}) {
      MultithreadIterator iterator(
          Generated(10), 4,
          {.n_threads = 3, .n_prefetch = prefetch, .seed = 3});
      for (int i = 0; i < before; ++i) iterator.next();
      serializers::save_npz(file, iterator);
      MultithreadIterator resumed(Generated(10), 4,
                                  {.n_threads = 2, .seed = 1234});
      resumed.next();
      serializers::load_npz(file, resumed);
      EXPECT_EQ(resumed.epoch(), iterator.epoch());
      EXPECT_EQ(resumed.is_new_epoch(), iterator.is_new_epoch());
      EXPECT_EQ(resumed.epoch_detail(), iterator.epoch_detail());
      EXPECT_EQ(resumed.previous_epoch_detail(),
                iterator.previous_epoch_detail());
      SerialIterator serial(Generated(10), 4);
      serializers::load_npz(file, serial);
      expect_same_steps(resumed, serial, 9);
      serializers::load_npz(file, serial);
      expect_same_steps(iterator, serial, 9);
    }
  }
}

TEST_F(MultithreadIteratorFileTest, AnOrderSamplersRandomnessIsSaved) {
  // A random part of the dataset in each sweep.
  const auto sampler = [](const Array&, int64_t,
                          array::random::Generator& generator) {
    return generator.permutation(30)[{Slice(11)}];
  };
  MultithreadIterator iterator(
      Generated(30), 4,
      {.n_threads = 2, .n_prefetch = 8, .order_sampler = sampler, .seed = 3});
  for (int i = 0; i < 5; ++i) iterator.next();
  serializers::save_npz(file, iterator);
  SerialIterator resumed(Generated(30), 4,
                         {.order_sampler = sampler, .seed = 8});
  serializers::load_npz(file, resumed);
  expect_same_steps(iterator, resumed, 20);
}

TEST_F(MultithreadIteratorFileTest, AFileThatDoesNotFitChangesNothing) {
  MultithreadIterator other(Generated(7), 4);
  serializers::save_npz(file, other);
  MultithreadIterator iterator(Generated(10), 4, {.n_threads = 2, .seed = 3});
  SerialIterator serial(Generated(10), 4, {.seed = 3});
  expect_same_steps(iterator, serial, 2);
  EXPECT_THAT(error_of<IoError>([&] { serializers::load_npz(file, iterator); }),
              HasSubstr("order: expected 10 indices"));
  expect_same_steps(iterator, serial, 9);
}

TEST(MultithreadIteratorTest, RejectsBadArguments) {
  const auto expect_error = [](int64_t batch_size,
                               const MultithreadIteratorOptions& options,
                               const char* message) {
    EXPECT_THAT(error_of<ValueError>([&] {
                  MultithreadIterator(arange(3), batch_size, options);
                }),
                HasSubstr(str("MultithreadIterator: expected ", message)));
  };
  expect_error(0, {}, "batch_size >= 1, got 0");
  expect_error(1, {.n_threads = 0}, "1 <= n_threads <= 1024, got 0");
  expect_error(1, {.n_threads = 1025}, "1 <= n_threads <= 1024, got 1025");
  expect_error(1, {.n_prefetch = -1}, "0 <= n_prefetch <= 65536, got -1");
  expect_error(1, {.shuffle = true, .order_sampler = ShuffleOrderSampler()},
               "shuffle or order_sampler, got both");
  EXPECT_THAT(error_of<ValueError>([] { MultithreadIterator(arange(0), 1); }),
              HasSubstr("an empty dataset"));
}

TEST(MultithreadIteratorTest, ASystemWithoutThreadsIsAnError) {
  pthread_attr_t usual;
  ASSERT_EQ(pthread_getattr_default_np(&usual), 0);
  pthread_attr_t huge = usual;
  ASSERT_EQ(pthread_attr_setstacksize(&huge, size_t{1} << 46), 0);
  MultithreadIterator iterator(Generated(5), 2,
                               {.shuffle = false, .n_threads = 3});
  ASSERT_EQ(pthread_setattr_default_np(&huge), 0);
  EXPECT_THAT(error_of<Error>([&] { iterator.next(); }),
              HasSubstr("expected 3 threads from the "
                        "system, got 0"));
  ASSERT_EQ(pthread_setattr_default_np(&usual), 0);
  EXPECT_THAT(values_of(iterator.next()), ElementsAre(0, 1));
}

TEST(MultiprocessIteratorTest, IsAnIteratorWithThreads) {
  MultiprocessIterator iterator(Generated(10), 3,
                                {.n_processes = 2, .seed = 1});
  SerialIterator serial(Generated(10), 3, {.seed = 1});
  expect_same_steps(iterator, serial, 5);
  iterator.reset();
  serial.reset();
  expect_same_steps(iterator, serial, 5);
  iterator.finalize();
  expect_same_steps(iterator, serial, 2);
}

// Examples that wait for each other until all processors read.
TEST(MultiprocessIteratorTest, ReadsOnAllProcessorsByDefault) {
  const int64_t processors =
      std::max<int64_t>(std::thread::hardware_concurrency(), 1);
  Gate all(processors);
  const datasets::TransformDataset together(
      Generated(processors), [&](const dataset::Example& example) {
        all.pass();
        return example;
      });
  MultiprocessIterator iterator(together, processors, {.shuffle = false});
  EXPECT_EQ(values_of(iterator.next()).size(), static_cast<size_t>(processors));
}

}  // namespace
}  // namespace catena::iterators
