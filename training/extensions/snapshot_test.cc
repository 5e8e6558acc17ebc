#include "catena/training/extensions/snapshot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "catena/array/core/error.h"
#include "catena/serializers/npz.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"
#include "catena/training/testing/scripted_training.h"
#include "catena/training/triggers/best_value_trigger.h"

namespace catena::training::extensions {
namespace {

using ::catena::testing::error_of;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::read_file;
using testing::ScriptedTraining;
using testing::ScriptedUpdater;
using testing::TempFolder;
using ::testing::UnorderedElementsAre;
using testing::write_file;

std::set<std::string> files_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

TEST(SnapshotTest, SavesTheTrainerEachEpoch) {
  ScriptedTraining training({5, "iteration"});
  training.trainer.extend(snapshot());
  training.trainer.run();
  EXPECT_THAT(files_in(training.trainer.out()),
              UnorderedElementsAre("snapshot_iter_2", "snapshot_iter_4"));
  ScriptedTraining other({5, "iteration"});
  other.trainer.extend(snapshot());
  serializers::load_npz(training.trainer.out_path("snapshot_iter_4"),
                        other.trainer);
  EXPECT_EQ(other.updater.iteration(), 4);
}

TEST(SnapshotTest, RunsAfterOtherExtensions) {
  ScriptedTraining training({2, "iteration"});
  training.trainer.extend(snapshot());
  bool was_there = true;
  training.trainer.extend(
      [&](Trainer& trainer) {
        was_there =
            std::filesystem::exists(trainer.out_path("snapshot_iter_2"));
      },
      {.trigger = {2, "iteration"}});
  training.trainer.run();
  EXPECT_FALSE(was_there);
}

// The trigger of the object, which is asked in each epoch, is asked before the
// trainer is saved: otherwise it would be asked again on resuming.
TEST(SnapshotTest, SavesTheTrainerAfterObjects) {
  const auto extend = [](ScriptedTraining& training) {
    training.trainer.extend(
        [](Trainer& trainer) {
          report({{"score", static_cast<double>(trainer.updater().epoch())}});
        },
        {.trigger = {1, "epoch"}, .priority = PRIORITY_WRITER});
    training.trainer.extend(snapshot());
    training.trainer.extend(
        snapshot_object(training.updater.model, "best_{.updater.epoch}"),
        {.trigger = triggers::MaxValueTrigger("score")});
  };
  ScriptedTraining training({4, "iteration"});
  extend(training);
  training.trainer.run();
  ScriptedTraining resumed({6, "iteration"});
  extend(resumed);
  serializers::load_npz(training.trainer.out_path("snapshot_iter_4"),
                        resumed.trainer);
  resumed.trainer.run();
  EXPECT_THAT(files_in(resumed.trainer.out()),
              UnorderedElementsAre("snapshot_iter_6", "best_3"));
}

TEST(SnapshotTest, SavesObjectsUnderOtherNames) {
  ScriptedTraining training({2, "iteration"});
  training.trainer.extend(
      snapshot_object(training.updater.model, "model_{.updater.epoch:02}.npz"));
  training.trainer.extend(snapshot({.filename = "all"}));
  training.trainer.run();
  EXPECT_THAT(files_in(training.trainer.out()),
              UnorderedElementsAre("model_01.npz", "all"));
  const array::NpzReader reader(training.trainer.out_path("model_01.npz"));
  EXPECT_THAT(reader.keys(), ::testing::ElementsAre("W"));
  EXPECT_EQ(training.trainer.get_extension("_Snapshot_1").priority(), -100);
}

TEST(SnapshotTest, UsesTheSaveFunction) {
  ScriptedTraining training({2, "iteration"});
  std::vector<std::string> saved;
  training.trainer.extend(
      snapshot({.savefun = [&](const std::string& file, const auto&) {
        saved.push_back(file);
      }}));
  training.trainer.run();
  EXPECT_THAT(saved, ::testing::ElementsAre(
                         training.trainer.out_path("snapshot_iter_2")));
}

TEST(SnapshotTest, CompressesUnlessToldOtherwise) {
  struct Equal : public Link {
    explicit Equal(double value) : W(this, "W", value, Shape{1000}) {}
    Param W;
  };
  const auto size_of = [](const SnapshotOptions& options) {
    ScriptedTraining training({2, "iteration"});
    Equal zeros(0);
    training.trainer.extend(snapshot_object(zeros, "object", options));
    training.trainer.run();
    const std::string file = training.trainer.out_path("object");
    Equal loaded(1);
    serializers::load_npz(file, loaded);
    EXPECT_EQ(loaded.W.data().to_vector<float>(), std::vector<float>(1000));
    return std::filesystem::file_size(file);
  };
  EXPECT_LT(size_of({}), 1000u);
  EXPECT_GT(size_of({.savefun = save_npz({.compression = false})}), 4000u);
}

TEST(SnapshotTest, AsksItsCondition) {
  ScriptedTraining training({6, "iteration"});
  training.trainer.extend(snapshot(
      {.condition = [&] { return training.updater.iteration() == 4; }}));
  training.trainer.run();
  EXPECT_THAT(files_in(training.trainer.out()),
              UnorderedElementsAre("snapshot_iter_4"));
}

TEST(SnapshotTest, KeepsAsManyAsItIsTold) {
  ScriptedTraining training({12, "iteration"});
  std::filesystem::create_directories(training.trainer.out());
  // Files of a longer run, and unrelated files.
  write_file(training.trainer.out_path("snapshot_iter_90"), "");
  write_file(training.trainer.out_path("snapshot_iter_1.txt"), "");
  training.trainer.extend(snapshot({.n_retains = 2}));
  training.trainer.extend(snapshot_object(training.updater.model,
                                          "model_{.updater.epoch:03}.npz",
                                          {.n_retains = 1}));
  training.trainer.run();
  EXPECT_THAT(files_in(training.trainer.out()),
              UnorderedElementsAre("snapshot_iter_10", "snapshot_iter_12",
                                   "snapshot_iter_90", "snapshot_iter_1.txt",
                                   "model_006.npz"));
}

// A training run in a folder, which optionally fails after an iteration.
std::string train_in(const std::string& out, int iterations,
                     const SnapshotOptions& options, int fails_at = -1) {
  ScriptedUpdater updater;
  Trainer trainer(updater, {iterations, "iteration"}, {.out = out});
  std::string seen;
  trainer.extend(snapshot(options));
  updater.on_update = [&](int64_t iteration) {
    seen += str(iteration, " ");
    if (iteration == fails_at) throw std::runtime_error("out of data");
  };
  try {
    trainer.run({.show_loop_exception_msg = false});
  } catch (const std::runtime_error& error) {
    seen += error.what();
  }
  return seen;
}

TEST(SnapshotTest, ContinuesByItself) {
  const TempFolder folder;
  const std::string out = folder.file("result");
  const SnapshotOptions options = {.autoload = true};
  EXPECT_EQ(train_in(out, 5, options), "1 2 3 4 5 ");
  EXPECT_EQ(train_in(out, 8, options), "5 6 7 8 ");
  EXPECT_EQ(train_in(out, 8, options), "");
}

TEST(SnapshotTest, LoadsBeforeOtherExtensionsBegin) {
  const TempFolder folder;
  int64_t at = -1;
  for (const int end : {4, 6}) {
    ScriptedUpdater updater;
    Trainer trainer(updater, {end, "iteration"}, {.out = folder.file("x")});
    trainer.extend(make_extension(
        [](Trainer&) {},
        {.initializer = [&](Trainer&) { at = updater.iteration(); }}));
    trainer.extend(snapshot({.autoload = true}));
    trainer.run();
  }
  EXPECT_EQ(at, 4);
}

TEST(SnapshotTest, PassesOverDamagedFilesWhenItContinues) {
  const TempFolder folder;
  const std::string out = folder.file("result");
  const SnapshotOptions options = {.autoload = true};
  train_in(out, 4, options);
  write_file(out + "/snapshot_iter_4", "damaged");
  EXPECT_EQ(train_in(out, 5, options), "3 4 5 ");
  for (const auto& name : files_in(out))
    write_file(out + "/" + name, "damaged");
  EXPECT_THAT(train_in(out, 5, options),
              AllOf(HasSubstr("found no intact file"),
                    HasSubstr(out + "/snapshot_iter_2")));
}

TEST(SnapshotTest, DoesNotPassOverOneThatDoesNotFit) {
  const TempFolder folder;
  const std::string out = folder.file("result");
  train_in(out, 4, {});
  ScriptedUpdater updater;
  Trainer trainer(updater, {6, "iteration"}, {.out = out});
  trainer.extend(snapshot({.autoload = true}));
  trainer.extend(snapshot_object(updater.model, "model"), {.name = "another"});
  EXPECT_THAT(error_of<IoError>([&] { trainer.run(); }), HasSubstr("another"));
  EXPECT_EQ(updater.iteration(), 0);
}

TEST(SnapshotTest, SavesWhenTheLoopThrowsIfAsked) {
  const TempFolder folder;
  EXPECT_EQ(train_in(folder.file("a"), 5, {.snapshot_on_error = true}, 3),
            "1 2 3 out of data");
  EXPECT_THAT(files_in(folder.file("a")),
              UnorderedElementsAre("snapshot_iter_2", "snapshot_iter_3"));
  train_in(folder.file("b"), 5, {}, 3);
  EXPECT_THAT(files_in(folder.file("b")),
              UnorderedElementsAre("snapshot_iter_2"));
}

TEST(SnapshotTest, AFileAfterAnErrorDoesNotReplaceTheOneOfThatIteration) {
  const TempFolder folder;
  ScriptedUpdater updater;
  Trainer trainer(updater, {5, "iteration"}, {.out = folder.path()});
  trainer.extend(snapshot({.snapshot_on_error = true}),
                 {.trigger = {2, "iteration"}});
  trainer.extend(
      [&](Trainer&) {
        if (updater.iteration() < 2) return;
        updater.model.W.data().fill(-1);
        raise<ValueError>("after the snapshot");
      },
      {.name = "throws", .trigger = {1, "iteration"}, .priority = -200});
  EXPECT_THROW(trainer.run(), ValueError);
  EXPECT_THAT(
      files_in(folder.path()),
      UnorderedElementsAre("snapshot_iter_2", "snapshot_iter_2_on_error"));
  EXPECT_EQ(latest_snapshot(folder.path()), folder.file("snapshot_iter_2"));
}

TEST(SnapshotTest, RejectsNamesAndFunctionsItCannotUse) {
  const auto expect_error = [](const SnapshotOptions& options,
                               const char* message) {
    EXPECT_THAT(error_of<ValueError>([&] { snapshot(options); }),
                HasSubstr(message));
  };
  expect_error({.filename = "x{.updater.iter}"}, "'{.updater.iter}'");
  expect_error({.savefun = nullptr}, "expected a savefun, got none");
  expect_error({.loadfun = nullptr, .autoload = true}, "expected a loadfun");
  expect_error({.n_retains = 0},
               "expected n_retains >= 1, or -1 for all, got 0");
  expect_error({.filename = "all", .n_retains = 3},
               "a filename with {.updater.iteration}");
  expect_error({.filename = "x{.updater.epoch_detail}", .autoload = true},
               "got 'x{.updater.epoch_detail}'");
}

TEST(LatestSnapshotTest, FindsTheHighestIteration) {
  ScriptedTraining training({10, "iteration"}, 2.0);
  training.trainer.extend(snapshot());
  training.trainer.run();
  const std::string folder = training.trainer.out();
  write_file(folder + "/snapshot_iter_99x", "");
  write_file(folder + "/snapshot_iter_", "");
  write_file(folder + "/log", "");
  EXPECT_EQ(latest_snapshot(folder), folder + "/snapshot_iter_10");
}

TEST(LatestSnapshotTest, PassesOverDamagedFiles) {
  ScriptedTraining training({6, "iteration"});
  training.trainer.extend(snapshot());
  training.trainer.run();
  const std::string folder = training.trainer.out();
  std::string bytes = read_file(folder + "/snapshot_iter_6");
  write_file(folder + "/snapshot_iter_6", bytes.substr(0, bytes.size() / 2));
  bytes[60] ^= 1;  // in the first entry
  write_file(folder + "/snapshot_iter_8", bytes);
  EXPECT_EQ(latest_snapshot(folder), folder + "/snapshot_iter_4");
}

TEST(LatestSnapshotTest, SaysWhyThereIsNone) {
  const TempFolder folder;
  EXPECT_THAT(error_of<IoError>([&] { latest_snapshot(folder.path()); }),
              HasSubstr("no intact file"));
  write_file(folder.file("snapshot_iter_3"), "damaged");
  EXPECT_THAT(error_of<IoError>([&] { latest_snapshot(folder.path()); }),
              AllOf(HasSubstr("no intact file; "),
                    HasSubstr(folder.file("snapshot_iter_3"))));
  EXPECT_THAT(
      error_of<IoError>([&] { latest_snapshot(folder.file("missing")); }),
      HasSubstr("cannot read the folder"));
}

}  // namespace
}  // namespace catena::training::extensions
