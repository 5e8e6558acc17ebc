// Training runs and snapshots of Chainer (tests/golden/README.md). Chainer's
// model has links that this test omits, so only the entries of trainer,
// updater, iterator, optimizer and LogReport are compared.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/creation.h"
#include "catena/array/io/npz.h"
#include "catena/dataset/datasets/tuple_dataset.h"
#include "catena/dataset/iterators/serial_iterator.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sum.h"
#include "catena/links/chain.h"
#include "catena/links/link.h"
#include "catena/links/reporter.h"
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

using ::testing::ElementsAre;
using testing::IsArray;
using testing::read_file;
using testing::runfile;
using testing::TempFolder;

std::string golden(const std::string& name) {
  return runfile("tests/golden/serializers/trainer_" + name);
}

// Only the output layer of Chainer's model.
class Out : public Link {
 public:
  Out() : W(this, "W", 0, Shape{2, 4}), b(this, "b", 0, Shape{2}) {}
  Param W, b;
};

class Predictor : public Chain {
 public:
  Predictor() : out(this, "out") {}
  Child<Out> out;
};

// Reports Chainer's losses, and has a gradient.
class Model : public Chain {
 public:
  explicit Model(const Array& losses)
      : predictor(this, "predictor"), losses_(losses) {}
  Variable forward(const Variable&, const Variable&) {
    report({{"loss", losses_[calls++ % losses_.size()].item<double>()}}, this);
    return functions::sum(predictor->out->W) +
           functions::sum(predictor->out->b);
  }
  Child<Predictor> predictor;
  int64_t calls = 0;

 private:
  Array losses_;
};

// Chainer's training with that model.
class GoldenTraining {
 public:
  explicit GoldenTraining(const AnyTrigger& stop_trigger)
      : reference_(golden("reference.npz")),
        dataset_(reference_.read_array("data/x"),
                 reference_.read_array("data/t")),
        iterator_(dataset_, reference_.read_array("batch_size").item<int64_t>(),
                  {.shuffle = false}),
        model(reference_.read_array("loss_per_iteration")),
        optimizer({.lr = 0.1, .momentum = 0.9}),
        updater(iterator_, optimizer.setup(model)),
        trainer(updater, stop_trigger, {.out = folder_.file("result")}),
        report(trainer.extend(extensions::LogReport())) {
    trainer.extend(extensions::snapshot());
    trainer.extend([](Trainer&) {}, {.name = "rec"});
  }

 private:
  TempFolder folder_;
  array::NpzReader reference_;
  datasets::TupleDataset dataset_;
  iterators::SerialIterator iterator_;

 public:
  Model model;
  optimizers::MomentumSGD optimizer;
  StandardUpdater updater;
  Trainer trainer;
  extensions::LogReport& report;
};

Array read(const std::string& file, const std::string& key) {
  return array::NpzReader(golden(file)).read_array(key);
}

TEST(GoldenTrainerTest, TheOriginalsSnapshotLoads) {
  for (const int64_t iteration : {3, 5}) {
    const std::string file =
        "snapshot_iter_" + std::to_string(iteration) + ".npz";
    GoldenTraining training({2, "epoch"});
    serializers::load_npz(golden(file), training.trainer);
    EXPECT_EQ(training.updater.iteration(), iteration);
    EXPECT_EQ(training.updater.epoch(), iteration == 3 ? 1 : 2);
    EXPECT_DOUBLE_EQ(training.updater.epoch_detail(),
                     static_cast<double>(iteration) * 0.4);
    EXPECT_EQ(training.optimizer.t(), iteration);
    EXPECT_EQ(training.optimizer.epoch(), training.updater.epoch());
    EXPECT_EQ(training.report.log().size(), iteration == 3 ? 1u : 2u);
    EXPECT_THAT(training.model.predictor->out->W.data(),
                IsArray(read(file, "updater/model:main/predictor/out/W")));
  }
}

TEST(GoldenTrainerTest, TheOriginalsSnapshotGoesOn) {
  GoldenTraining training({2, "epoch"});
  training.model.calls = 3;
  serializers::load_npz(golden("snapshot_iter_3.npz"), training.trainer);
  training.trainer.run();
  EXPECT_EQ(training.updater.iteration(), 5);
  const auto expected = log_from_json(read_file(golden("log.json")));
  ASSERT_EQ(training.report.log().size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    const Observation& entry = training.report.log()[i];
    for (const char* key : {"main/loss", "epoch", "iteration"}) {
      EXPECT_EQ(entry[key].as_double(), expected[i][key].as_double()) << key;
    }
  }
}

TEST(GoldenTrainerTest, AFinishedTrainingHasNothingToDo) {
  GoldenTraining training({2, "epoch"});
  serializers::load_npz(golden("snapshot_iter_5.npz"), training.trainer);
  training.trainer.run();
  EXPECT_EQ(training.updater.iteration(), 5);
}

TEST(GoldenTrainerTest, CountsAsTheOriginalDoes) {
  GoldenTraining training({2, "epoch"});
  training.trainer.run();
  const auto expected = log_from_json(read_file(golden("log.json")));
  ASSERT_EQ(training.report.log().size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(training.report.log()[i]["main/loss"].as_double(),
              expected[i]["main/loss"].as_double());
    EXPECT_EQ(*training.report.log()[i]["iteration"].integer(),
              *expected[i]["iteration"].integer());
  }
}

// All entries except the model's must be in both files with equal values.
TEST(GoldenTrainerTest, OurSnapshotHasTheOriginalsKeysAndCounts) {
  GoldenTraining training({2, "epoch"});
  training.trainer.run();
  const array::NpzReader ours(training.trainer.out_path("snapshot_iter_5"));
  const array::NpzReader theirs(golden("snapshot_iter_5.npz"));
  int compared = 0;
  for (const std::string& key : theirs.keys()) {
    if (key.find("predictor/") != std::string::npos ||
        key.find("_Snapshot_1") != std::string::npos ||
        key == "extensions/LogReport/_log" || key == "_snapshot_elapsed_time") {
      continue;
    }
    SCOPED_TRACE(key);
    ASSERT_TRUE(ours.contains(key));
    if (key.ends_with("_names")) {
      EXPECT_EQ(ours.read_text(key), theirs.read_text(key));
    } else {
      EXPECT_THAT(ours.read_array(key), IsArray(theirs.read_array(key)));
    }
    ++compared;
  }
  EXPECT_EQ(compared, 18);
  EXPECT_TRUE(ours.contains("extensions/LogReport/_log"));
  EXPECT_TRUE(ours.contains("_snapshot_elapsed_time"));
  EXPECT_TRUE(ours.contains("updater/optimizer:main/predictor/out/W/v"));
}

}  // namespace
}  // namespace catena::training
