#include "catena/training/extensions/snapshot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "catena/array/error.h"
#include "catena/serializers/npz.h"
#include "catena/tests/support/temp_folder.h"
#include "catena/training/scripted_training.h"

namespace catena::training::extensions {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::read_file;
using testing::ScriptedTraining;
using testing::TempFolder;
using ::testing::ThrowsMessage;
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

TEST(SnapshotTest, RejectsNamesAndFunctionsItCannotUse) {
  EXPECT_THAT([] { snapshot({.filename = "x{.updater.iter}"}); },
              ThrowsMessage<ValueError>(HasSubstr("'{.updater.iter}'")));
  EXPECT_THROW(snapshot({.savefun = nullptr}), ValueError);
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
  EXPECT_THAT([&] { latest_snapshot(folder.path()); },
              ThrowsMessage<IoError>(HasSubstr("none that is intact")));
  write_file(folder.file("snapshot_iter_3"), "damaged");
  EXPECT_THAT(
      [&] { latest_snapshot(folder.path()); },
      ThrowsMessage<IoError>(AllOf(HasSubstr("none that is intact; "),
                                   HasSubstr(folder.file("snapshot_iter_3")))));
  EXPECT_THAT([&] { latest_snapshot(folder.file("missing")); },
              ThrowsMessage<IoError>(HasSubstr("cannot read the folder")));
}

}  // namespace
}  // namespace catena::training::extensions
