#include "catena/training/trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/random/random.h"
#include "catena/links/reporter.h"
#include "catena/serializers/npz.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"
#include "catena/training/testing/scripted_training.h"

namespace catena::training {
namespace {

using ::catena::testing::error_of;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ScriptedTraining;
using testing::ScriptedUpdater;
using testing::TempFolder;

using Events = std::vector<std::string>;

// Records the calls it gets.
class Recorder : public Extension {
 public:
  Recorder(Events& events, std::string label)
      : events_(&events), label_(std::move(label)) {}
  void operator()(Trainer& trainer) override {
    events_->push_back(label_ + std::to_string(trainer.updater().iteration()));
  }
  void initialize(Trainer&) override { events_->push_back(label_ + " begins"); }
  void finalize() override { events_->push_back(label_ + " ends"); }

 private:
  Events* events_;
  std::string label_;
};

TEST(TrainerTest, RunsTheUpdaterUntilTheStopTriggerFires) {
  ScriptedTraining training({5, "iteration"});
  training.trainer.run();
  EXPECT_EQ(training.updater.iteration(), 5);
  EXPECT_EQ(training.updater.finalized, 1);
  EXPECT_TRUE(std::filesystem::is_directory(training.trainer.out()));
}

TEST(TrainerTest, TestsTheStopTriggerBeforeEachIteration) {
  ScriptedTraining training([](Trainer&) { return true; });
  training.trainer.run();
  EXPECT_EQ(training.updater.iteration(), 0);
}

TEST(TrainerTest, RunsOnce) {
  ScriptedTraining training({1, "iteration"});
  training.trainer.run();
  EXPECT_THAT(error_of<ValueError>([&] { training.trainer.run(); }),
              HasSubstr("got a second"));
}

TEST(TrainerTest, CallsExtensionsByPriorityThenByOrder) {
  ScriptedTraining training({2, "iteration"});
  Events events;
  const auto extend = [&](const char* label, std::optional<int> priority) {
    training.trainer.extend(
        [&events, label](Trainer& trainer) {
          events.push_back(label +
                           std::to_string(trainer.updater().iteration()));
        },
        {.priority = priority});
  };
  extend("a", {});
  extend("b", -1);
  extend("c", PRIORITY_WRITER);
  extend("d", {});
  extend("e", PRIORITY_EDITOR);
  training.trainer.run();
  EXPECT_THAT(events, ElementsAre("c1", "e1", "a1", "d1", "b1",  //
                                  "c2", "e2", "a2", "d2", "b2"));
}

TEST(TrainerTest, InitializesAndFinalizesExtensions) {
  ScriptedTraining training({4, "iteration"});
  Events events;
  training.trainer.extend(Recorder(events, "x"), {.trigger = {2, "iteration"}});
  training.trainer.extend(Recorder(events, "y"),
                          {.trigger = {2, "epoch"},
                           .priority = PRIORITY_WRITER,
                           .invoke_before_training = true});
  training.trainer.run();
  EXPECT_THAT(events, ElementsAre("y begins", "x begins", "y0", "x2", "y4",
                                  "x4", "y ends", "x ends"));
}

TEST(TrainerTest, FinalizesAfterAnException) {
  ScriptedTraining training({4, "iteration"});
  Events events;
  training.trainer.extend(Recorder(events, "x"));
  training.updater.on_update = [](int64_t iteration) {
    if (iteration == 2) throw std::runtime_error("out of data");
  };
  EXPECT_THAT(error_of<std::runtime_error>([&] { training.trainer.run(); }),
              "out of data");
  EXPECT_THAT(events, ElementsAre("x begins", "x1", "x ends"));
  EXPECT_EQ(training.updater.finalized, 1);
  EXPECT_THROW(get_current_reporter(), ValueError);
}

TEST(TrainerTest, FinalizesEverythingWhateverAFinalizerThrows) {
  ScriptedTraining training({1, "iteration"});
  Events events;
  training.trainer.extend(make_extension([](Trainer&) {}, {.finalizer = [] {
                                           throw std::runtime_error("first");
                                         }}));
  training.trainer.extend(Recorder(events, "x"));
  EXPECT_THAT(error_of<std::runtime_error>([&] { training.trainer.run(); }),
              "first");
  EXPECT_THAT(events, ElementsAre("x begins", "x1", "x ends"));
  EXPECT_EQ(training.updater.finalized, 1);
}

TEST(TrainerTest, AnExceptionOfTheLoopCountsMoreThanAFinalizers) {
  ScriptedTraining training({1, "iteration"});
  training.trainer.extend(make_extension(
      [](Trainer&) { throw std::runtime_error("in the loop"); },
      {.finalizer = [] { throw std::runtime_error("afterwards"); }}));
  EXPECT_THAT(error_of<std::runtime_error>([&] { training.trainer.run(); }),
              "in the loop");
}

// The output of run() on standard error while it throws an exception.
template <class Exception>
std::string errors_of(Trainer& trainer, const RunOptions& options = {}) {
  ::testing::internal::CaptureStderr();
  EXPECT_THROW(trainer.run(options), Exception);
  return ::testing::internal::GetCapturedStderr();
}

TEST(TrainerTest, TellsAtOnceWhatTheLoopThrew) {
  ScriptedTraining training({4, "iteration"});
  training.updater.on_update = [](int64_t) {
    throw std::runtime_error("out of data");
  };
  std::string before_finalization;
  training.trainer.extend(make_extension(
      [](Trainer&) {}, {.finalizer = [&] {
        before_finalization = ::testing::internal::GetCapturedStderr();
        ::testing::internal::CaptureStderr();
      }}));
  EXPECT_EQ(errors_of<std::runtime_error>(training.trainer), "");
  EXPECT_THAT(
      before_finalization,
      "Exception in main training loop after iteration 1. Finalizing trainer "
      "extensions and updater before it is thrown again.\n");
}

TEST(TrainerTest, IsSilentWhereAskedTo) {
  ScriptedTraining training({4, "iteration"});
  training.updater.on_update = [](int64_t) { throw 3; };
  EXPECT_EQ(
      errors_of<int>(training.trainer, {.show_loop_exception_msg = false}), "");
}

TEST(TrainerTest, ExtensionsHearOfAnErrorBeforeTheyAreFinalized) {
  ScriptedTraining training({4, "iteration"});
  Events events;
  training.updater.on_update = [](int64_t iteration) {
    if (iteration == 2) throw std::runtime_error("out of data");
  };
  const auto hears = [&](Trainer& trainer, const std::exception_ptr& error) {
    events.push_back(str("heard after ", trainer.updater().iteration()));
    EXPECT_THAT(
        error_of<std::runtime_error>([&] { std::rethrow_exception(error); }),
        "out of data");
    throw std::runtime_error("deaf");
  };
  training.trainer.extend(Recorder(events, "x"));
  training.trainer.extend(make_extension(
      [](Trainer&) {},
      {.default_name = "ear", .priority = -1, .on_error = hears}));
  EXPECT_THAT(errors_of<std::runtime_error>(training.trainer),
              ::testing::EndsWith("Exception in on_error of 'ear': deaf\n"));
  EXPECT_THAT(events, ElementsAre("x begins", "x1", "heard after 2", "x ends"));
}

TEST(TrainerTest, FinalizesByPriorityAndTheUpdaterLast) {
  ScriptedTraining training({1, "iteration"});
  Events events;
  training.trainer.extend(Recorder(events, "late"), {.priority = -5});
  training.trainer.extend(Recorder(events, "early"), {.priority = 500});
  training.trainer.extend(make_extension(
      [](Trainer&) {},
      {.finalizer = [&] { EXPECT_EQ(training.updater.finalized, 0); }}));
  training.trainer.run();
  EXPECT_THAT(events, ElementsAre("early begins", "late begins", "early1",
                                  "late1", "early ends", "late ends"));
  EXPECT_EQ(training.updater.finalized, 1);
}

// Records when load() is called.
class Loader : public Recorder {
 public:
  explicit Loader(Events& events)
      : Recorder(events, "loader"), events_(&events) {}
  void load(Trainer&) override { events_->push_back("load"); }

 private:
  Events* events_;
};

TEST(TrainerTest, LoadsBeforeAnythingIsInitialized) {
  ScriptedTraining training({1, "iteration"});
  Events events;
  training.trainer.extend(Recorder(events, "x"));
  training.trainer.extend(Loader(events), {.priority = -1});
  training.trainer.run();
  EXPECT_EQ(events.front(), "load");
}

TEST(TrainerTest, NamesExtensionsOfOneNameByNumber) {
  ScriptedTraining training({1, "iteration"});
  Events events;
  Trainer& trainer = training.trainer;
  const Recorder& first = trainer.extend(Recorder(events, "a"));
  const Recorder& second = trainer.extend(Recorder(events, "b"));
  const Recorder& third = trainer.extend(Recorder(events, "c"));
  const Recorder& named = trainer.extend(Recorder(events, "d"), {.name = "it"});
  EXPECT_EQ(first.name(), "Recorder");
  EXPECT_EQ(second.name(), "Recorder_1");
  EXPECT_EQ(third.name(), "Recorder_2");
  EXPECT_EQ(&trainer.get_extension("it"), &named);
  EXPECT_EQ(&trainer.get_extension("Recorder_1"), &second);
  EXPECT_THAT(
      error_of<ValueError>([&] { trainer.get_extension("Recorder_3"); }),
      HasSubstr("('Recorder', 'Recorder_1', 'Recorder_2', 'it'), got "
                "'Recorder_3'"));
}

TEST(TrainerTest, FindsExtensionsByType) {
  ScriptedTraining training({1, "iteration"});
  Events events;
  Trainer& trainer = training.trainer;
  EXPECT_THAT(error_of<ValueError>([&] { trainer.get_extension<Recorder>(); }),
              "get_extension: expected an extension of type Recorder, got "
              "a trainer without extensions");
  trainer.extend([](Trainer&) {}, {.name = "function"});
  trainer.extend([](Trainer&) {}, {.name = "other"});
  EXPECT_THAT(error_of<ValueError>([&] { trainer.get_extension<Recorder>(); }),
              "get_extension: expected an extension of type Recorder, got "
              "only 'function', 'other'");
  const Recorder& first = trainer.extend(Recorder(events, "a"));
  Recorder& found = trainer.get_extension<Recorder>();
  EXPECT_EQ(&found, &first);
  EXPECT_EQ(&trainer.get_extension<Extension>("Recorder"), &first);
  EXPECT_THAT(error_of<ValueError>([&] { trainer.get_extension<Loader>(); }),
              HasSubstr("of type Loader, got only"));
  // A Loader is a Recorder.
  const Loader& loader = trainer.extend(Loader(events));
  EXPECT_EQ(&trainer.get_extension<Loader>(), &loader);
  EXPECT_THAT(error_of<ValueError>([&] { trainer.get_extension<Recorder>(); }),
              "get_extension: expected one extension of type Recorder, got "
              "'Recorder', 'Loader'; pass the name, too");
  EXPECT_EQ(&trainer.get_extension<Recorder>("Recorder"), &first);
  EXPECT_EQ(&trainer.get_extension<Recorder>("Loader"), &loader);
  EXPECT_THAT(error_of<ValueError>(
                  [&] { trainer.get_extension<Recorder>("function"); }),
              "get_extension: expected 'function' to be a Recorder, got a "
              "FunctionExtension");
  EXPECT_THAT(
      error_of<ValueError>([&] { trainer.get_extension<Recorder>("none"); }),
      HasSubstr("got 'none'"));
}

TEST(TrainerTest, RejectsExtensionsItCannotHave) {
  ScriptedTraining training({1, "iteration"});
  EXPECT_THAT(error_of<ValueError>([&] {
                training.trainer.extend([](Trainer&) {}, {.name = "training"});
              }),
              HasSubstr("reserved"));
  EXPECT_THROW(training.trainer.extend(std::shared_ptr<Recorder>()),
               ValueError);
  EXPECT_THROW(make_extension(nullptr), ValueError);
}

TEST(TrainerTest, MadeExtensionsHaveTheirDefaults) {
  ScriptedTraining training({4, "iteration"});
  Events events;
  training.trainer.extend(
      make_extension([&](Trainer&) { events.push_back("call"); },
                     {.trigger = {2, "iteration"},
                      .default_name = "mine",
                      .initializer = [&](Trainer&) { events.push_back("in"); },
                      .finalizer = [&] { events.push_back("out"); }}));
  training.trainer.run();
  EXPECT_THAT(events, ElementsAre("in", "call", "call", "out"));
  EXPECT_EQ(training.trainer.get_extension("mine").priority(), PRIORITY_READER);
}

TEST(TrainerTest, ExtensionsSayWhetherTheyAreInvokedBeforeTraining) {
  ScriptedTraining training({1, "iteration"});
  Events events;
  const auto extend = [&](const std::string& name, bool made,
                          std::optional<bool> extended) {
    training.trainer.extend(
        make_extension(
            [&events, name](Trainer& trainer) {
              events.push_back(name +
                               std::to_string(trainer.updater().iteration()));
            },
            {.invoke_before_training = made}),
        {.name = name, .invoke_before_training = extended});
  };
  extend("a", true, {});
  extend("b", false, {});
  extend("c", true, false);
  extend("d", false, true);
  training.trainer.run();
  EXPECT_THAT(events, ElementsAre("a0", "d0", "a1", "b1", "c1", "d1"));
}

TEST(TrainerTest, ObservationsAreFreshInEachIteration) {
  ScriptedTraining training({2, "iteration"});
  training.updater.on_update = [&](int64_t iteration) {
    report({{"loss", iteration}}, &training.updater.model);
    if (iteration == 1) report({{"once", 1}});
  };
  std::vector<std::string> seen;
  training.trainer.extend([&](Trainer& trainer) {
    for (const auto& [name, value] : trainer.observation()) {
      seen.push_back(name);
    }
  });
  training.trainer.run();
  EXPECT_THAT(seen, ElementsAre("main/loss", "once", "main/loss"));
}

TEST(TrainerTest, AFolderThatCannotBeMadeIsAnErrorBeforeTraining) {
  const TempFolder folder;
  testing::write_file(folder.file("file"), "");
  ScriptedUpdater updater;
  Trainer trainer(updater, {1, "iteration"}, {.out = folder.file("file/x")});
  EXPECT_THAT(error_of<IoError>([&] { trainer.run(); }),
              AllOf(HasSubstr("Trainer::run: cannot create the folder"),
                    HasSubstr(folder.file("file/x"))));
  EXPECT_EQ(updater.iteration(), 0);
}

TEST(TrainerTest, RejectsWhatItCannotTrain) {
  ScriptedUpdater updater;
  EXPECT_THAT(error_of<ValueError>([&] {
                Trainer(updater, {1, "epoch"}, {.out = ""});
              }),
              HasSubstr("a folder `out`"));
  EXPECT_THAT(error_of<ValueError>([&] {
                Trainer(updater, {1, "week"});
              }),
              HasSubstr("got 'week'"));
  optimizers::SGD without_target;
  updater.add_optimizer("other", without_target);
  EXPECT_THAT(error_of<ValueError>([&] {
                Trainer(updater, {1, "epoch"});
              }),
              HasSubstr("setup"));
}

TEST(TrainerTest, ElapsedTimeCountsFromRun) {
  ScriptedTraining training({3, "iteration"});
  EXPECT_THAT(error_of<ValueError>([&] { training.trainer.elapsed_time(); }),
              HasSubstr("after run()"));
  double last = 0;
  training.trainer.extend([&](Trainer& trainer) {
    EXPECT_GE(trainer.elapsed_time(), last);
    last = trainer.elapsed_time();
  });
  training.trainer.run();
  const double total = training.trainer.elapsed_time();
  EXPECT_GE(total, last);
  EXPECT_EQ(training.trainer.elapsed_time(), total);
}

class Counter : public Extension {
 public:
  void operator()(Trainer&) override { ++count; }
  void serialize(const Serializer& serializer) override {
    serializer("count", count);
  }
  int64_t count = 0;
};

TEST(TrainerSnapshotTest, ContinuesWithAllThatChanges) {
  const TempFolder folder;
  const std::string file = folder.file("snapshot");
  array::random::seed(3, native_device());
  ScriptedTraining first({3, "iteration"});
  Counter& counted =
      first.trainer.extend(Counter(), {.trigger = {2, "iteration"}});
  first.trainer.run();
  serializers::save_npz(file, first.trainer);
  const double time = first.trainer.elapsed_time();
  const auto random = array::random::generator(native_device()).state();
  EXPECT_EQ(counted.count, 1);

  array::random::seed(4, native_device());
  ScriptedTraining second({6, "iteration"});
  Counter& counts =
      second.trainer.extend(Counter(), {.trigger = {2, "iteration"}});
  serializers::load_npz(file, second.trainer);
  EXPECT_EQ(array::random::generator(native_device()).state(), random);
  EXPECT_EQ(counts.count, 1);
  second.trainer.run();
  EXPECT_EQ(second.updater.iteration(), 6);
  EXPECT_EQ(counts.count, 3);
  EXPECT_GE(second.trainer.elapsed_time(), time);
}

TEST(TrainerSnapshotTest, HasTheOriginalsKeys) {
  const TempFolder folder;
  const std::string file = folder.file("snapshot");
  ScriptedTraining training({3, "iteration"});
  training.trainer.extend(Counter());
  training.trainer.run();
  serializers::save_npz(file, training.trainer);
  const array::NpzReader reader(file);
  EXPECT_THAT(
      reader.keys(),
      ElementsAre("updater/iteration", "stop_trigger/previous_iteration",
                  "stop_trigger/previous_epoch_detail",
                  "extensions/Counter/count",
                  "extension_triggers/Counter/previous_iteration",
                  "extension_triggers/Counter/previous_epoch_detail",
                  "_snapshot_elapsed_time", "_random_states/native:0"));
}

TEST(TrainerSnapshotTest, TheOriginalsFilesNeedNoRandomStates) {
  const TempFolder folder;
  const std::string file = folder.file("snapshot");
  ScriptedTraining training({3, "iteration"});
  training.trainer.run();
  serializers::save_npz(file, training.trainer);
  auto entries = array::load_npz(file);
  entries.erase("_random_states/native:0");
  array::savez(file, array::NpzItems(entries.begin(), entries.end()));
  ScriptedTraining other({3, "iteration"});
  const auto before = array::random::generator(native_device()).state();
  serializers::load_npz(file, other.trainer);
  EXPECT_EQ(other.updater.iteration(), 3);
  EXPECT_EQ(array::random::generator(native_device()).state(), before);
}

TEST(TrainerSnapshotTest, AFileThatDoesNotFitChangesNothing) {
  const TempFolder folder;
  const std::string file = folder.file("snapshot");
  ScriptedTraining training({3, "iteration"});
  training.trainer.run();
  serializers::save_npz(file, training.trainer);
  ScriptedTraining other({3, "iteration"});
  other.trainer.extend(Counter());
  EXPECT_THAT(
      error_of<IoError>([&] { serializers::load_npz(file, other.trainer); }),
      HasSubstr("extensions/Counter/count"));
  EXPECT_EQ(other.updater.iteration(), 0);
}

// Registers its own observer.
class ConnectingUpdater : public Updater {
 public:
  void update() override {
    ++iterations_;
    report({{"own", 1}}, this);
  }
  int64_t iteration() const override { return iterations_; }
  int64_t epoch() const override { return 0; }
  double epoch_detail() const override { return 0; }
  double previous_epoch_detail() const override { return 0; }
  bool is_new_epoch() const override { return false; }
  const OptimizerMap& get_all_optimizers() const override { return none_; }
  void connect_trainer(Trainer& trainer) override {
    trainer.reporter().add_observer("updater", this);
  }

 private:
  int64_t iterations_ = 0;
  OptimizerMap none_;
};

TEST(UpdaterTest, IsConnectedToTheTrainer) {
  const TempFolder folder;
  ConnectingUpdater updater;
  Trainer trainer(updater, {1, "iteration"}, {.out = folder.file("result")});
  trainer.run();
  EXPECT_TRUE(trainer.observation().contains("updater/own"));
}

TEST(UpdaterTest, NamesTheOptimizersThereAre) {
  ScriptedUpdater updater;
  EXPECT_EQ(&updater.get_optimizer("main"), &updater.optimizer);
  EXPECT_THAT(error_of<ValueError>([&] { updater.get_optimizer("other"); }),
              HasSubstr("('main'), got 'other'"));
}

}  // namespace
}  // namespace catena::training
