// Training runs and snapshots of Chainer (tests/golden/README.md). The model
// here has the parameters of Chainer's but computes nothing, so all entries are
// compared except those that depend on gradients.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/io/npz.h"
#include "catena/dataset/datasets/tuple_dataset.h"
#include "catena/dataset/iterators/serial_iterator.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sum.h"
#include "catena/links/reporter.h"
#include "catena/links/testing/keyed_model.h"
#include "catena/optimizers/momentum_sgd.h"
#include "catena/serializers/npz.h"
#include "catena/tests/support/runfiles.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/temp_folder.h"
#include "catena/training/extensions/log_report.h"
#include "catena/training/extensions/snapshot.h"
#include "catena/training/log_json.h"
#include "catena/training/standard_updater.h"
#include "catena/training/trainer.h"

namespace catena::training {
namespace {

using testing::IsArray;
using testing::read_file;
using testing::runfile;
using testing::TempFolder;

constexpr char kFolder[] = "tests/golden/serializers";
constexpr char kSnapshot[] = "trainer_snapshot_iter_";

std::string golden(const std::string& name) {
  return runfile(std::string(kFolder) + "/" + name);
}

Array read(const std::string& file, const std::string& key) {
  return array::NpzReader(golden(file)).read_array(key);
}
int64_t read_count(const std::string& file, const std::string& key) {
  return read(file, key).item<int64_t>();
}

const char* const kReference = "trainer_reference.npz";
int64_t last_iteration() { return read_count(kReference, "iteration"); }

// The iterations that have snapshots.
std::vector<int64_t> snapshot_iterations() {
  std::vector<int64_t> iterations;
  for (const std::string& name :
       testing::runfile_names(kFolder, kSnapshot, ".npz")) {
    iterations.push_back(std::stoll(name.substr(std::strlen(kSnapshot))));
  }
  return iterations;
}
std::string snapshot_of(int64_t iteration) {
  return kSnapshot + std::to_string(iteration) + ".npz";
}

// The names of the training's extensions, in the order in which they were
// added.
std::vector<std::string> extension_names() {
  const std::string prefix = "extension_triggers/";
  std::vector<std::string> names;
  const array::NpzReader file(golden(snapshot_of(last_iteration())));
  for (const std::string& key : file.keys()) {
    if (!key.starts_with(prefix)) continue;
    std::string name = key.substr(prefix.size());
    name = name.substr(0, name.find('/'));
    if (names.empty() || names.back() != name) names.push_back(name);
  }
  return names;
}

std::vector<Observation> golden_log() {
  return log_from_json(read_file(golden("trainer_log.json")));
}

testing::KeyedArrays start_of(const std::string& prefix) {
  const array::NpzReader reference(golden(kReference));
  testing::KeyedArrays arrays;
  for (const std::string& key : reference.keys()) {
    if (key.starts_with(prefix)) {
      arrays[key.substr(prefix.size())] = reference.read_array(key);
    }
  }
  return arrays;
}

// Reports Chainer's losses, and has a gradient.
class GoldenModel : public testing::KeyedModel {
 public:
  explicit GoldenModel(const Array& losses)
      : KeyedModel(start_of("start/param/"), start_of("start/persist/")),
        losses_(losses) {}
  Variable forward(const Variable&, const Variable&) {
    report({{"loss", losses_[calls++ % losses_.size()].item<double>()}}, this);
    Variable loss;
    for (const Parameter& param : params()) {
      const Variable sum = functions::sum(param);
      loss = loss.defined() ? loss + sum : sum;
    }
    return loss;
  }
  int64_t calls = 0;

 private:
  Array losses_;
};

// Chainer's training with that model. Its learning rate is not in the files,
// and nothing that is compared depends on it.
class GoldenTraining {
 public:
  GoldenTraining()
      : reference_(golden(kReference)),
        dataset_(reference_.read_array("data/x"),
                 reference_.read_array("data/t")),
        iterator_(dataset_, reference_.read_array("batch_size").item<int64_t>(),
                  {.shuffle = false}),
        model(reference_.read_array("loss_per_iteration")),
        updater(iterator_, optimizer.setup(model)),
        trainer(updater,
                {reference_.read_array("epoch").item<int64_t>(), "epoch"},
                {.out = folder_.file("result")}) {
    for (const std::string& name : extension_names()) {
      if (name == "LogReport") {
        report = &trainer.extend(extensions::LogReport());
      } else if (name == "_Snapshot") {
        trainer.extend(extensions::snapshot());
      } else if (name.starts_with("_Snapshot_")) {
        trainer.extend(extensions::snapshot_object(
                           model, "model_iter_{.updater.iteration}"),
                       {.name = name});
      } else {
        trainer.extend([](Trainer&) {}, {.name = name});
      }
    }
  }

  void load(int64_t iteration) {
    serializers::load_npz(golden(snapshot_of(iteration)), trainer);
    model.calls = iteration;
  }

 private:
  TempFolder folder_;
  array::NpzReader reference_;
  datasets::TupleDataset dataset_;
  iterators::SerialIterator iterator_;

 public:
  GoldenModel model;
  optimizers::MomentumSGD optimizer;
  StandardUpdater updater;
  Trainer trainer;
  extensions::LogReport* report = nullptr;
};

TEST(GoldenTrainerTest, ChainersSnapshotLoads) {
  for (const int64_t iteration : snapshot_iterations()) {
    SCOPED_TRACE(iteration);
    const std::string file = snapshot_of(iteration);
    GoldenTraining training;
    training.load(iteration);
    EXPECT_EQ(training.updater.iteration(), iteration);
    const std::string iterator = "updater/iterator:main/";
    const int64_t epoch = read_count(file, iterator + "epoch");
    EXPECT_EQ(training.updater.epoch(), epoch);
    const auto position = read(file, iterator + "current_position");
    EXPECT_DOUBLE_EQ(
        training.updater.epoch_detail(),
        static_cast<double>(epoch) +
            position.item<double>() /
                static_cast<double>(read(kReference, "data/x").shape()[0]));
    EXPECT_EQ(training.optimizer.t(), iteration);
    EXPECT_EQ(training.optimizer.epoch(),
              read_count(file, "updater/optimizer:main/epoch"));
    const auto log = golden_log();
    EXPECT_EQ(static_cast<int64_t>(training.report->log().size()),
              std::ranges::count_if(log, [&](const Observation& entry) {
                return *entry["iteration"].integer() <= iteration;
              }));
    for (const char* kind : {"param/", "persist/"}) {
      const auto values = start_of(str("start/", kind));
      ASSERT_FALSE(values.empty());
      for (const auto& [path, unused] : values) {
        EXPECT_THAT(training.model.at(path),
                    IsArray(read(file, "updater/model:main/" + path)))
            << path;
      }
    }
  }
}

TEST(GoldenTrainerTest, ChainersSnapshotGoesOn) {
  int continued = 0;
  for (const int64_t iteration : snapshot_iterations()) {
    if (iteration == last_iteration()) continue;
    SCOPED_TRACE(iteration);
    GoldenTraining training;
    training.load(iteration);
    training.trainer.run();
    EXPECT_EQ(training.updater.iteration(), last_iteration());
    const auto expected = golden_log();
    ASSERT_EQ(training.report->log().size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      const Observation& entry = training.report->log()[i];
      for (const char* key : {"main/loss", "epoch", "iteration"}) {
        EXPECT_EQ(entry[key].as_double(), expected[i][key].as_double()) << key;
      }
    }
    ++continued;
  }
  EXPECT_GT(continued, 0);
}

TEST(GoldenTrainerTest, AFinishedTrainingHasNothingToDo) {
  GoldenTraining training;
  training.load(last_iteration());
  training.trainer.run();
  EXPECT_EQ(training.updater.iteration(), last_iteration());
}

TEST(GoldenTrainerTest, CountsAsChainerDoes) {
  GoldenTraining training;
  training.trainer.run();
  const auto expected = golden_log();
  ASSERT_FALSE(expected.empty());
  ASSERT_EQ(training.report->log().size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(training.report->log()[i]["main/loss"].as_double(),
              expected[i]["main/loss"].as_double());
    EXPECT_EQ(*training.report->log()[i]["iteration"].integer(),
              *expected[i]["iteration"].integer());
  }
}

// All entries of Chainer's file must be in ours, with equal values unless they
// depend on gradients or the time.
TEST(GoldenTrainerTest, OurSnapshotHasChainersKeysAndCounts) {
  const auto is_computed = [](const std::string& key) {
    return key.starts_with("updater/model:") ||
           (key.starts_with("updater/optimizer:") && !key.ends_with("/t") &&
            !key.ends_with("/epoch"));
  };
  GoldenTraining training;
  training.trainer.run();
  const array::NpzReader ours(training.trainer.out_path(
      "snapshot_iter_" + std::to_string(last_iteration())));
  const array::NpzReader theirs(golden(snapshot_of(last_iteration())));
  int compared = 0;
  for (const std::string& key : theirs.keys()) {
    SCOPED_TRACE(key);
    ASSERT_TRUE(ours.contains(key));
    if (key.ends_with("_log") || key == "_snapshot_elapsed_time") continue;
    // We save objects first, so that their trigger was already asked.
    if (key == "extension_triggers/_Snapshot_1/previous_iteration") {
      EXPECT_EQ(ours.read_array(key).item<int64_t>(), last_iteration());
      continue;
    }
    if (key.starts_with("extension_triggers/_Snapshot_1/")) continue;
    if (key.ends_with("_names")) {
      EXPECT_EQ(ours.read_text(key), theirs.read_text(key));
    } else if (is_computed(key)) {
      EXPECT_EQ(ours.read_array(key).dtype(), theirs.read_array(key).dtype());
      EXPECT_EQ(ours.read_array(key).shape(), theirs.read_array(key).shape());
      continue;
    } else {
      EXPECT_THAT(ours.read_array(key), IsArray(theirs.read_array(key)));
    }
    ++compared;
  }
  EXPECT_GT(compared, 0);
}

}  // namespace
}  // namespace catena::training
