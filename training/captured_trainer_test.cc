#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "catena/array/io/npz.h"
#include "catena/array/random/random.h"
#include "catena/autograd/config.h"
#include "catena/dataset/datasets/tuple_dataset.h"
#include "catena/dataset/iterators/serial_iterator.h"
#include "catena/optimizers/hooks.h"
#include "catena/optimizers/momentum_sgd.h"
#include "catena/serializers/npz.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/temp_folder.h"
#include "catena/training/extensions/evaluator.h"
#include "catena/training/extensions/log_report.h"
#include "catena/training/extensions/shift.h"
#include "catena/training/extensions/snapshot.h"
#include "catena/training/standard_updater.h"
#include "catena/training/testing/step_runs.h"
#include "catena/training/trainer.h"

namespace catena::training {
namespace {

constexpr int64_t kIterations = 20;

// Counts how often the host runs the code of a training step.
class CountedCNN : public Chain<CountedCNN, Model<CNN>> {
 public:
  Variable forward(const Variable& x, const Variable& t) {
    if (config().train) ++calls;
    return Model<CNN>::forward(x, t);
  }
  int calls = 0;
};

// Before the iterator shuffles.
void seed(Device device) {
  for (const Device each : {native_device(), device}) {
    array::random::generator(each).seed(9);
  }
}

struct Training {
  Training(Device device, Capture capture, const std::string& out,
           const datasets::TupleDataset& train,
           const datasets::TupleDataset& test)
      : train_iter((seed(device), train), 4),
        test_iter(test, 4, {.repeat = false, .shuffle = false}) {
    seed(device);
    model.to_device(device);
    optimizer.setup(model);
    optimizer.add_hook(optimizers::WeightDecay(1e-3));
    updater.emplace(train_iter, optimizer,
                    StandardUpdaterOptions{.capture = capture});
    trainer.emplace(*updater, AnyTrigger{kIterations, "iteration"},
                    TrainerOptions{.out = out});
    trainer->extend(extensions::Evaluator(test_iter, model));
    trainer->extend(extensions::ExponentialShift("lr", 0.9),
                    {.trigger = {3, "iteration"}});
    trainer->extend(extensions::LogReport({.trigger = {4, "iteration"}}));
    trainer->extend(extensions::snapshot(), {.trigger = {5, "iteration"}});
  }

  CountedCNN model;
  optimizers::MomentumSGD optimizer{{.lr = 0.01}};
  iterators::SerialIterator train_iter;
  iterators::SerialIterator test_iter;
  std::optional<StandardUpdater> updater;
  std::optional<Trainer> trainer;
};

class CapturedTrainerTest : public StepRunsTest {
 protected:
  void expect_same_log(Training& captured, Training& eager) const {
    const auto& log =
        captured.trainer->get_extension<extensions::LogReport>().log();
    const auto& expected =
        eager.trainer->get_extension<extensions::LogReport>().log();
    ASSERT_EQ(log.size(), expected.size());
    for (size_t i = 0; i < log.size(); ++i) {
      SCOPED_TRACE(i);
      ASSERT_EQ(log[i].size(), expected[i].size());
      for (const auto& [name, value] : expected[i]) {
        if (name == "elapsed_time") continue;
        ASSERT_TRUE(log[i].contains(name)) << name;
        EXPECT_EQ(log[i].find(name)->as_double(), value.as_double()) << name;
      }
    }
    EXPECT_TRUE(expected.back().contains("main/loss"));
    // An epoch ended since the entry before.
    EXPECT_TRUE(expected[1].contains("validation/main/loss"));
  }

  // But for times, which the log has, too.
  void expect_same_snapshot(const std::string& captured,
                            const std::string& eager) const {
    const array::NpzReader file(captured);
    const array::NpzReader expected(eager);
    ASSERT_EQ(file.keys(), expected.keys());
    int arrays = 0;
    for (const std::string& key : expected.keys()) {
      if (key.find("elapsed_time") != std::string::npos ||
          key.ends_with("_log")) {
        continue;
      }
      if (!expected.read(key).is_array()) continue;
      ++arrays;
      EXPECT_THAT(file.read_array(key),
                  testing::IsArray(expected.read_array(key)))
          << key;
    }
    EXPECT_GT(arrays, 30);
  }

  const datasets::TupleDataset train{random({24, 36}, 1), random({24, 3}, 2)};
  const datasets::TupleDataset test{random({8, 36}, 3), random({8, 3}, 4)};
};

TEST_P(CapturedTrainerTest, LogsAndSnapshotsAreTheSameToTheBit) {
  const testing::TempFolder folder;
  const std::string of_eager = folder.file("eager");
  const std::string of_captured = folder.file("captured");
  Training eager(device(), Capture::kNever, of_eager, train, test);
  eager.trainer->run();
  Training captured(device(), Capture::kAuto, of_captured, train, test);
  captured.trainer->run();
  EXPECT_EQ(eager.model.calls, kIterations);
  // The host runs two steps and the capture.
  EXPECT_EQ(captured.model.calls, device().is_native() ? kIterations : 3);
  expect_same_log(captured, eager);
  expect_equal(state_of(captured.optimizer), state_of(eager.optimizer));
  for (int iteration = 5; iteration <= kIterations; iteration += 5) {
    SCOPED_TRACE(iteration);
    const std::string name = "/snapshot_iter_" + std::to_string(iteration);
    expect_same_snapshot(of_captured + name, of_eager + name);
  }
}

// Whichever way either part goes.
TEST_P(CapturedTrainerTest, SnapshotsAreResumedToTheBit) {
  const testing::TempFolder folder;
  Training whole(device(), Capture::kNever, folder.file("whole"), train, test);
  whole.trainer->run();
  int number = 0;
  for (const Capture first : {Capture::kAuto, Capture::kNever}) {
    const std::string out = folder.file("first" + std::to_string(++number));
    Training(device(), first, out, train, test).trainer->run();
    for (const Capture second : {Capture::kAuto, Capture::kNever}) {
      Training resumed(device(), second, out, train, test);
      serializers::load_npz(out + "/snapshot_iter_10", *resumed.trainer);
      resumed.trainer->run();
      expect_same_log(resumed, whole);
      expect_equal(state_of(resumed.optimizer), state_of(whole.optimizer));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(CapturedSteps, CapturedTrainerTest,
                         testing::every_device(), testing::device_name);

}  // namespace
}  // namespace catena::training
