// Tests of iterators, evaluators and checkpoints on several ranks, with threads
// as ranks.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "catena/array/creation.h"
#include "catena/dataset/datasets/tuple_dataset.h"
#include "catena/dataset/iterators/serial_iterator.h"
#include "catena/functions/loss/mean_squared_error.h"
#include "catena/links/connection/linear.h"
#include "catena/links/reporter.h"
#include "catena/optimizers/momentum_sgd.h"
#include "catena/serializers/dictionary.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"
#include "catena/training/communicators/multi_node_checkpointer.h"
#include "catena/training/communicators/multi_node_evaluator.h"
#include "catena/training/communicators/multi_node_iterator.h"
#include "catena/training/communicators/multi_node_optimizer.h"
#include "catena/training/communicators/observation_aggregator.h"
#include "catena/training/communicators/scatter_dataset.h"
#include "catena/training/communicators/testing/threads.h"
#include "catena/training/standard_updater.h"
#include "catena/training/trainer.h"

namespace catena::training::communicators {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::IsArray;
using ::catena::testing::TempFolder;
using ::catena::testing::write_file;
using iterators::SerialIterator;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Numbers = std::vector<int64_t>;

// The result of `work` in each rank.
template <class T>
std::vector<T> of_ranks(int size, const std::function<T(Communicator&)>& work) {
  std::vector<T> results(static_cast<size_t>(size));
  const auto failures =
      testing::run_threads(size, [&](ThreadCommunicator& communicator) {
        results[static_cast<size_t>(communicator.rank())] = work(communicator);
      });
  for (const auto& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
  return results;
}

Array numbers(int64_t n) {
  return array::arange(n, Dtype::kInt64, native_device());
}

Numbers numbers_of(const dataset::Dataset& dataset) {
  Numbers found;
  for (int64_t i = 0; i < dataset.size(); ++i) {
    found.push_back(dataset[i][0].item<int64_t>());
  }
  return found;
}

Numbers numbers_of(const dataset::Batch& batch) {
  Numbers found;
  for (const dataset::Example& example : batch.examples()) {
    found.push_back(example[0].item<int64_t>());
  }
  return found;
}

std::vector<Numbers> scatter(int ranks, int64_t n,
                             const ScatterDatasetOptions& options) {
  return of_ranks<Numbers>(ranks, [&](Communicator& communicator) {
    return numbers_of(scatter_dataset(numbers(n), communicator, options));
  });
}

TEST(ScatterDatasetTest, GivesEachRankAPartOfTheSameLength) {
  EXPECT_THAT(scatter(2, 6, {}),
              ElementsAre(Numbers{0, 1, 2}, Numbers{3, 4, 5}));
  EXPECT_THAT(scatter(3, 7, {}), ElementsAre(Numbers{0, 1, 2}, Numbers{2, 3, 4},
                                             Numbers{4, 5, 6}));
  EXPECT_THAT(scatter(3, 7, {.force_equal_length = false}),
              ElementsAre(Numbers{0, 1}, Numbers{2, 3}, Numbers{4, 5, 6}));
  EXPECT_THAT(scatter(3, 2, {}),
              ElementsAre(Numbers{0}, Numbers{0}, Numbers{1}));
}

TEST(ScatterDatasetTest, ShufflesInTheOrderOfTheRoot) {
  const auto parts = scatter(2, 10, {.shuffle = true, .root = 1});
  Numbers all = parts[0];
  all.insert(all.end(), parts[1].begin(), parts[1].end());
  const Numbers in_order = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_NE(all, in_order);
  std::ranges::sort(all);
  EXPECT_EQ(all, in_order);
  EXPECT_EQ(scatter(2, 10, {.shuffle = true, .seed = 5}),
            scatter(2, 10, {.shuffle = true, .seed = 5}));
}

TEST(ScatterDatasetTest, StacksItsExamplesAtOnce) {
  of_ranks<int>(2, [](Communicator& communicator) {
    const datasets::TupleDataset pairs(numbers(6), numbers(6) * 10);
    const auto part = scatter_dataset(pairs, communicator);
    const auto stacked = part.gather(numbers(2));
    EXPECT_TRUE(stacked.has_value());
    if (stacked) {
      EXPECT_THAT((*stacked)[1],
                  IsArray((numbers(2) + 3 * communicator.rank()) * 10));
    }
    return 0;
  });
}

TEST(ScatterDatasetTest, BadDatasetsAreErrorsOnAllRanks) {
  EXPECT_THAT(error_of<ValueError>([] { scatter(2, 0, {}); }),
              HasSubstr("got none"));
  const auto failures =
      testing::run_threads(2, [](ThreadCommunicator& communicator) {
        scatter_dataset(numbers(4 + communicator.rank()), communicator);
      });
  for (const auto& failure : failures) {
    EXPECT_THAT(
        error_of<CommunicatorError>([&] { std::rethrow_exception(failure); }),
        HasSubstr("the same dataset on all ranks"));
  }
}

TEST(MultiNodeIteratorTest, RanksShareTheMinibatchesOfOne) {
  SerialIterator one(numbers(7), 4, {.seed = 9});
  const auto parts =
      of_ranks<std::vector<Numbers>>(2, [](Communicator& communicator) {
        // Only the order of rank 0 is used.
        const uint64_t seed = communicator.rank() == 0 ? 9 : 10;
        SerialIterator whole(numbers(7), 4, {.seed = seed});
        MultiNodeIterator iterator(whole, communicator);
        EXPECT_EQ(iterator.batch_size(), 2);
        EXPECT_TRUE(iterator.repeat());
        std::vector<Numbers> batches;
        for (int i = 0; i < 5; ++i) {
          batches.push_back(numbers_of(*iterator.next()));
        }
        EXPECT_EQ(iterator.epoch(), 2);
        EXPECT_FALSE(iterator.is_new_epoch());
        EXPECT_DOUBLE_EQ(iterator.epoch_detail(), 20.0 / 7);
        EXPECT_DOUBLE_EQ(*iterator.previous_epoch_detail(), 16.0 / 7);
        return batches;
      });
  for (int i = 0; i < 5; ++i) {
    // The ranks take turns.
    const Numbers together = {parts[0][i][0], parts[1][i][0], parts[0][i][1],
                              parts[1][i][1]};
    EXPECT_EQ(together, numbers_of(*one.next()));
  }
}

TEST(MultiNodeIteratorTest, BadIteratorsAreErrors) {
  of_ranks<int>(2, [](Communicator& communicator) {
    SerialIterator odd(numbers(7), 3);
    EXPECT_THAT(
        error_of<ValueError>([&] { MultiNodeIterator(odd, communicator); }),
        HasSubstr("divisible by the number of ranks, 2, got 3"));
    SerialIterator ends(numbers(7), 2, {.repeat = false});
    EXPECT_THAT(
        error_of<ValueError>([&] { MultiNodeIterator(ends, communicator); }),
        HasSubstr("use scatter_dataset"));
    return 0;
  });
}

TEST(MeanOverRanksTest, AveragesWhatIsThere) {
  of_ranks<int>(2, [](Communicator& communicator) {
    Observation own = {{"loss", 1.0 + communicator.rank()},
                       {"all", array::zeros({2})}};
    if (communicator.rank() == 1) own.set("extra", 7);
    const Observation mean = mean_over_ranks(own, communicator);
    EXPECT_EQ(mean.size(), 2u);
    EXPECT_EQ(mean["loss"].as_double(), 1.5);
    EXPECT_EQ(mean["extra"].as_double(), 7.0);
    return 0;
  });
}

// Reports the rank plus one.
class Reporting : public Link {
 public:
  explicit Reporting(int rank) : W(this, "W", 0, Shape{2}), rank_(rank) {}
  Variable forward(const Variable& x) {
    report({{"loss", rank_ + 1.0}}, this);
    return functions::mean_squared_error(
        W, Variable(x.data()[0].astype(Dtype::kFloat32).broadcast_to({2})));
  }
  Param W;

 private:
  int rank_;
};

// A whole training run of one rank, with everything in this folder.
struct Training {
  Training(Communicator& communicator, const std::string& out, int64_t end)
      : link(communicator.rank()),
        whole(numbers(8), 2 * communicator.size(), {.seed = 1}),
        train_iter(whole, communicator),
        test_iter(scatter_dataset(numbers(8), communicator), 2,
                  {.repeat = false, .shuffle = false}),
        updater((create_multi_node_optimizer(optimizer, communicator),
                 optimizer.setup(link), train_iter),
                optimizer, {.device = current_device()}),
        trainer(updater, {end, "epoch"}, {.out = out}) {
    trainer.extend(create_multi_node_evaluator(
        extensions::Evaluator(test_iter, link, {.device = current_device()}),
        communicator));
    trainer.extend(ObservationAggregator(communicator));
    checkpointer = &trainer.extend(MultiNodeCheckpointer(communicator));
  }

  Reporting link;
  optimizers::MomentumSGD optimizer{{.lr = 0.1}};
  SerialIterator whole;
  MultiNodeIterator train_iter;
  SerialIterator test_iter;
  StandardUpdater updater;
  Trainer trainer;
  MultiNodeCheckpointer* checkpointer = nullptr;
};

TEST(MultiNodeTrainingTest, ReportsAreMeansOverRanks) {
  const TempFolder folder;
  of_ranks<int>(2, [&](Communicator& communicator) {
    Training training(communicator, folder.path(), 1);
    training.trainer.run();
    const Observation& seen = training.trainer.observation();
    EXPECT_EQ(seen["main/loss"].as_double(), 1.5);
    EXPECT_EQ(seen["validation/main/loss"].as_double(), 1.5);
    return 0;
  });
}

Numbers checkpoints(const std::string& folder, const std::string& end) {
  Numbers found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("checkpoint_iter_") && name.ends_with(end)) {
      found.push_back(std::stoll(name.substr(16)));
    }
  }
  std::ranges::sort(found);
  return found;
}

std::vector<Array> train(const std::string& out, int64_t end,
                         std::vector<int64_t> loaded) {
  return of_ranks<Array>(2, [&](Communicator& communicator) {
    Training training(communicator, out, end);
    EXPECT_EQ(training.checkpointer->maybe_load(training.trainer),
              loaded[static_cast<size_t>(communicator.rank())]);
    training.trainer.run();
    return training.link.W.data().to_device(native_device()).copy();
  });
}

TEST(MultiNodeCheckpointerTest, ATrainingGoesOnFromTheLastWholeCheckpoint) {
  const TempFolder folder;
  const auto whole = train(folder.file("whole"), 4, {0, 0});
  const std::string out = folder.file("halves");
  train(out, 2, {0, 0});
  EXPECT_EQ(checkpoints(out, "_rank_0_of_2"), (Numbers{2, 4}));
  auto resumed = train(out, 4, {4, 4});
  EXPECT_THAT(resumed[0], IsArray(whole[0]));
  EXPECT_THAT(resumed[1], IsArray(whole[0]));
  // Older files are deleted.
  EXPECT_EQ(checkpoints(out, "_rank_0_of_2"), (Numbers{6, 8}));
  EXPECT_EQ(checkpoints(out, "_rank_1_of_2"), (Numbers{6, 8}));

  // One rank's last file is damaged: both use the one before.
  write_file(out + "/checkpoint_iter_8_rank_1_of_2", "broken");
  resumed = train(out, 4, {6, 6});
  EXPECT_THAT(resumed[1], IsArray(whole[1]));
}

TEST(MultiNodeCheckpointerTest, AnInterruptedFirstCheckpointMeansToStartOver) {
  const TempFolder folder;
  const auto whole = train(folder.file("whole"), 2, {0, 0});
  const std::string out = folder.file("killed");
  train(out, 1, {0, 0});
  std::filesystem::remove(out + "/checkpoint_iter_2_rank_1_of_2");
  EXPECT_THAT(train(out, 2, {0, 0})[1], IsArray(whole[1]));
  // After the second checkpoint a rank without files has lost them.
  std::filesystem::remove(out + "/checkpoint_iter_2_rank_1_of_2");
  std::filesystem::remove(out + "/checkpoint_iter_4_rank_1_of_2");
  EXPECT_THAT(error_of<IoError>([&] {
                train(out, 2, {0, 0});
              }),
              HasSubstr("intact file of each of 2 ranks"));
}

TEST(MultiNodeCheckpointerTest, KeepsItsOwnFilesBesideThoseOfALongerRun) {
  const TempFolder folder;
  train(folder.path(), 4, {0, 0});
  of_ranks<int>(2, [&](Communicator& communicator) {
    Training(communicator, folder.path(), 1).trainer.run();
    return 0;
  });
  EXPECT_EQ(checkpoints(folder.path(), "_rank_0_of_2"), (Numbers{2, 6, 8}));
}

TEST(MultiNodeCheckpointerTest, FilesThatDoNotFitAreErrorsOnAllRanks) {
  const TempFolder folder;
  write_file(folder.file("checkpoint_iter_8_rank_0_of_2"), "broken");
  EXPECT_THAT(error_of<IoError>([&] {
                train(folder.path(), 1, {0, 0});
              }),
              HasSubstr("intact file of each of 2 ranks"));
  const TempFolder other;
  write_file(other.file("checkpoint_iter_8_rank_0_of_4"), "");
  EXPECT_THAT(error_of<IoError>([&] {
                train(other.path(), 1, {0, 0});
              }),
              HasSubstr("of 2 ranks, found files of a different number"));
}

TEST(MultiNodeCheckpointerTest, BadOptionsAreErrors) {
  const auto ranks = ThreadCommunicator::create(1);
  const auto make = [&](const MultiNodeCheckpointerOptions& options) {
    MultiNodeCheckpointer(*ranks[0], options);
  };
  EXPECT_THAT(error_of<ValueError>([&] { make({.name = ""}); }),
              HasSubstr("got ''"));
  EXPECT_THAT(error_of<ValueError>([&] { make({.name = "a/b"}); }),
              HasSubstr("got 'a/b'"));
  EXPECT_THAT(error_of<ValueError>([&] { make({.keep = 0}); }),
              HasSubstr("keep >= 1, got 0"));
}

}  // namespace
}  // namespace catena::training::communicators
