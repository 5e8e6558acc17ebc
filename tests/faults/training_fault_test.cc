// Iterators, trainers and what trainers write while each of their calls fails.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catena/array/core/parallel.h"
#include "catena/array/creation.h"
#include "catena/array/io/npz.h"
#include "catena/dataset/convert.h"
#include "catena/dataset/datasets/tuple_dataset.h"
#include "catena/dataset/iterators/multithread_iterator.h"
#include "catena/dataset/iterators/serial_iterator.h"
#include "catena/functions/loss/mean_squared_error.h"
#include "catena/links/chain.h"
#include "catena/links/connection/linear.h"
#include "catena/links/reporter.h"
#include "catena/optimizers/adam.h"
#include "catena/tests/faults/bits.h"
#include "catena/tests/faults/communicator_trial.h"
#include "catena/tests/faults/fault_matrix.h"
#include "catena/tests/testing/temp_folder.h"
#include "catena/training/extensions/log_report.h"
#include "catena/training/extensions/snapshot.h"
#include "catena/training/extensions/tensorboard_report.h"
#include "catena/training/standard_updater.h"
#include "catena/training/tensorboard/event_writer.h"
#include "catena/training/trainer.h"

namespace catena::testing {
namespace {

datasets::TupleDataset examples(int64_t count) {
  return datasets::TupleDataset(
      array::arange(count * 3, Dtype::kFloat32).reshape({count, 3}),
      array::arange(count * 2, Dtype::kFloat32).reshape({count, 2}));
}

// A sweep.
template <class Iterator, class Options>
class IteratorTrial final : public FaultTrial {
 public:
  explicit IteratorTrial(const Options& options)
      : iterator_(examples(64), 4, options), minibatches_(16) {}
  void run() override {
    iterator_.reset();
    for (dataset::Example& minibatch : minibatches_) {
      minibatch = dataset::concat_examples(*iterator_.next());
    }
    is_done_ = true;
  }
  std::string state() override {
    if (!is_done_) return "not done";
    std::string bits;
    for (const dataset::Example& minibatch : minibatches_) {
      bits += bits_of(minibatch);
    }
    return bits;
  }

 private:
  Iterator iterator_;
  std::vector<dataset::Example> minibatches_;
  bool is_done_ = false;
};

template <class Iterator, class Options>
FaultSubject iterator(std::string name, const Options& options) {
  return {std::move(name), [options] {
            return std::make_unique<IteratorTrial<Iterator, Options>>(options);
          }};
}

TEST(TrainingFaultTest, IteratorsGiveTheRightMinibatchesAfterAReset) {
  expect_faults_do_no_harm(iterator<iterators::SerialIterator>(
      "SerialIterator",
      iterators::SerialIteratorOptions{.repeat = false, .shuffle = false}));
  expect_faults_do_no_harm(iterator<iterators::MultithreadIterator>(
      "MultithreadIterator",
      iterators::MultithreadIteratorOptions{
          .repeat = false, .shuffle = false, .n_threads = 2}));
}

TEST(TrainingFaultTest, ARankThatFailsEndsTheOthersWait) {
  expect_faults_do_no_harm(
      {"allreduce", [] {
         return std::make_unique<CommunicatorTrial>(
             std::array{native_device(0), native_device(1)});
       }});
}

class Regression final : public Chain<Regression> {
 public:
  Regression() : l(this, "l", 3, 2) { l->W.data().fill(0.5); }
  Variable forward(const Variable& x, const Variable& t) {
    const Variable loss = functions::mean_squared_error(l(x), t);
    report({{"loss", loss}}, this);
    return loss;
  }
  Child<links::Linear> l;
};

// Three epochs of one iteration, with a log, snapshots and resuming.
class Training {
 public:
  explicit Training(const std::string& folder) {
    optimizer_.setup(model_);
    updater_.emplace(iterator_, optimizer_);
    trainer_.emplace(*updater_, training::AnyTrigger(3, "epoch"),
                     training::TrainerOptions{.out = folder});
    trainer_->extend(training::extensions::LogReport());
    trainer_->extend(training::extensions::TensorBoardReport());
    trainer_->extend(training::extensions::snapshot(
        {.savefun = training::extensions::save_npz({.compression = false}),
         .n_retains = 1,
         .autoload = true}));
  }

  void run() { trainer_->run({.show_loop_exception_msg = false}); }
  std::string state() { return bits_of(model_); }

 private:
  Regression model_;
  iterators::SerialIterator iterator_{examples(4), 4, {.shuffle = false}};
  optimizers::Adam optimizer_;
  std::optional<training::StandardUpdater> updater_;
  std::optional<training::Trainer> trainer_;
};

// A failed run is resumed from its last snapshot by another, which ends like
// one that never failed.
class TrainerTrial final : public FaultTrial {
 public:
  TrainerTrial() { set_num_threads(1); }
  void run() override {
    {
      const NoFaults suspended;
      training_ = std::make_unique<Training>(folder_.path());
    }
    training_->run();
    is_done_ = true;
  }
  std::string state() override {
    check_files();
    if (!is_done_) return "not done";
    nlohmann::json log = nlohmann::json::parse(read_file(folder_.file("log")));
    for (nlohmann::json& entry : log) entry.erase("elapsed_time");
    return training_->state() + log.dump();
  }

 private:
  // Those that are there are whole.
  void check_files() const {
    for (const auto& entry :
         std::filesystem::directory_iterator(folder_.path())) {
      if (entry.is_directory()) continue;  // the events, see below
      const std::string path = entry.path().string();
      if (path.ends_with("/log")) {
        EXPECT_TRUE(nlohmann::json::accept(read_file(path))) << read_file(path);
      } else {
        EXPECT_GT(array::load_npz(path).size(), 10u) << path;
      }
    }
  }

  TempFolder folder_;
  std::unique_ptr<Training> training_;
  bool is_done_ = false;
};

TEST(TrainingFaultTest, AFailedRunResumesFromItsLastSnapshot) {
  expect_faults_do_no_harm(
      {"Trainer", [] { return std::make_unique<TrainerTrial>(); }}, kAllFaults,
      3000);
}

// Points of many steps in a file of events.
class EventTrial final : public FaultTrial {
 public:
  void run() override {
    training::tensorboard::EventWriter writer(folder_.path());
    for (int step = 0; step < 20; ++step) {
      writer.add_scalars(scalars_, step);
      writer.flush();
    }
    is_done_ = true;
  }
  // Records are whole, and those of the last run are all there.
  std::string state() override {
    int most = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(folder_.path())) {
      const std::string events = read_file(entry.path().string());
      most = std::max(most, count_records(events));
    }
    return is_done_ ? std::to_string(most) : "not done";
  }

 private:
  static int count_records(const std::string& events) {
    int count = 0;
    size_t at = 0;
    while (at < events.size()) {
      uint64_t size = 0;
      events.copy(reinterpret_cast<char*>(&size), sizeof(size), at);
      at += 8 + 4 + size + 4;
      ++count;
    }
    EXPECT_EQ(at, events.size());
    return count;
  }

  TempFolder folder_;
  std::vector<training::tensorboard::TaggedScalar> scalars_ = {
      {"a long name of a number", 1.0}, {"another long name", 2.0}};
  bool is_done_ = false;
};

TEST(TrainingFaultTest, AFileOfEventsHasWholeRecords) {
  expect_faults_do_no_harm(
      {"EventWriter", [] { return std::make_unique<EventTrial>(); }});
}

}  // namespace
}  // namespace catena::testing
