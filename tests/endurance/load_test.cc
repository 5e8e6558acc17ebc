// One trainer with much data, and many trainers at once.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "catena/array/core/memory_pool.h"
#include "catena/array/random/random.h"
#include "catena/dataset/iterators/multithread_iterator.h"
#include "catena/links/model/classifier.h"
#include "catena/optimizers/adam.h"
#include "catena/tests/endurance/noisy_training.h"
#include "catena/tests/endurance/resident_bytes.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/temp_folder.h"
#include "catena/training/extensions/log_report.h"
#include "catena/training/standard_updater.h"
#include "catena/training/trainer.h"

// Returns freed memory to the system quickly, so that it does not count as
// used.
extern "C" const char* __asan_default_options() {
  return "quarantine_size_mb=4";
}

namespace catena {
namespace {

using iterators::MultithreadIterator;
using testing::IsArray;
using testing::MadeUpData;
using testing::NoisyMLP;
using testing::resident_bytes;
using testing::TempFolder;

TEST(LoadTest, AMillionExamplesTakeNoMoreMemoryThanTheFirst) {
  constexpr int64_t kExamples = 1'000'000;
  constexpr int64_t kBatch = 500;
  constexpr int64_t kWarm = 200'000 / kBatch;
  const TempFolder folder;
  links::Classifier model((NoisyMLP()));
  optimizers::Adam optimizer;
  optimizer.setup(model);
  MultithreadIterator iterator(MadeUpData(kExamples), kBatch,
                               {.n_threads = 2, .n_prefetch = 3});
  training::StandardUpdater updater(iterator, optimizer);
  training::Trainer trainer(updater, {1, "epoch"}, {.out = folder.path()});
  trainer.extend(
      training::extensions::LogReport({.trigger = {kWarm / 2, "iteration"}}));
  MemoryPoolStatistics warm;
  int64_t warm_resident = 0;
  int64_t last = 0;
  trainer.extend([&](training::Trainer& self) {
    last = self.updater().iteration();
    if (last != kWarm) return;
    warm = cpu::memory_pool_statistics();
    warm_resident = resident_bytes();
  });
  trainer.run();
  EXPECT_EQ(last, kExamples / kBatch);
  // After 800,000 more examples: a leak of one byte per example would show.
  constexpr int64_t kMiB = 1 << 20;
  const MemoryPoolStatistics end = cpu::memory_pool_statistics();
  EXPECT_LT(end.used_bytes - warm.used_bytes, kMiB / 2);
  // Each thread caches a few free blocks of the sizes it uses.
  EXPECT_LT(end.total_bytes() - warm.total_bytes(), 16 * kMiB);
#ifndef __SANITIZE_THREAD__  // which has its own bookkeeping
  EXPECT_LT(resident_bytes() - warm_resident, 16 * kMiB);
#endif
}

// The result of a training run.
struct Result {
  std::string log;
  std::vector<Array> params;
};

// Trains on the logical device of that index, which has its own generator.
Result train(int index, const std::string& folder) {
  const Device device = native_device(index);
  const DeviceScope scope(device);
  array::random::seed(static_cast<uint64_t>(index), device);
  links::Classifier model((NoisyMLP()));
  optimizers::Adam optimizer;
  optimizer.setup(model);
  MultithreadIterator iterator(
      MadeUpData(100 + index), 8,
      {.n_threads = 2, .seed = static_cast<uint64_t>(index)});
  training::StandardUpdater updater(iterator, optimizer, {.device = device});
  training::Trainer trainer(updater, {3, "epoch"}, {.out = folder});
  trainer.extend(training::extensions::LogReport());
  Result result;
  trainer.extend([&](training::Trainer& self) {
    for (const auto& [name, value] : self.observation()) {
      result.log += name + " " + std::to_string(value.as_double()) + "\n";
    }
  });
  trainer.run();
  for (const Parameter& param : model.params()) {
    result.params.push_back(param.data().to_device(native_device()));
  }
  return result;
}

TEST(LoadTest, TenTrainersInTenThreadsDoNotDisturbEachOther) {
  constexpr int kTrainers = 10;
  const TempFolder folder;
  std::vector<Result> alone;
  for (int i = 0; i < kTrainers; ++i) {
    alone.push_back(train(i, folder.file("alone" + std::to_string(i))));
  }
  std::vector<Result> together(kTrainers);
  std::vector<std::thread> threads;
  for (int i = 0; i < kTrainers; ++i) {
    threads.emplace_back([&, i] {
      together[i] = train(i, folder.file("together" + std::to_string(i)));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < kTrainers; ++i) {
    EXPECT_FALSE(alone[i].log.empty());
    EXPECT_EQ(together[i].log, alone[i].log) << "trainer " << i;
    ASSERT_EQ(alone[i].params.size(), 4u);
    for (size_t k = 0; k < 4; ++k) {
      // As bytes, for an exact comparison.
      EXPECT_THAT(together[i].params[k].view(Dtype::kUInt8),
                  IsArray(alone[i].params[k].view(Dtype::kUInt8)));
    }
  }
  // The runs are not all identical.
  EXPECT_NE(alone[0].log, alone[1].log);
}

}  // namespace
}  // namespace catena
