// What is on the disk after a loss of power at any moment: whole files, and
// nothing less than what was promised.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/io/atomic_file.h"
#include "catena/array/io/temp_file.h"
#include "catena/dataset/download.h"
#include "catena/dataset/partial_file.h"
#include "catena/tests/faults/bits.h"
#include "catena/tests/faults/fault_injection.h"
#include "catena/tests/faults/file_system_model.h"
#include "catena/tests/testing/temp_folder.h"
#include "catena/training/extensions/snapshot.h"
#include "catena/training/testing/scripted_training.h"

namespace catena::testing {
namespace {

using Files = FileSystemModel::Files;

std::string content_of(const Files& files, const std::string& name) {
  const auto found = files.find(name);
  return found == files.end() ? "" : found->second;
}

// Several writes of more than one sector.
std::vector<std::string> parts(char first) {
  return {std::string(2000, first), std::string(700, ++first),
          std::string(1, ++first)};
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += part;
  return text;
}

// A file that is written in place, and perhaps flushed.
void write_in_place(const std::string& path, bool flushes) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  for (const std::string& part : parts('a')) {
    ASSERT_EQ(::write(file, part.data(), part.size()),
              static_cast<ssize_t>(part.size()));
  }
  if (flushes) ::fsync(file);
  ::close(file);
}

// Whether some state has a file that is there, but is none of the given ones.
bool finds_broken(const FileSystemModel& model, const std::string& name,
                  const std::vector<std::string>& whole) {
  bool found = false;
  model.for_each_loss([&](const Files& files, int) {
    if (!files.contains(name)) return;
    found |= std::ranges::find(whole, files.at(name)) == whole.end();
  });
  return found;
}

TEST(FileSystemModelTest, FindsWhatIsTornWithoutFsync) {
  for (const bool flushes : {false, true}) {
    const TempFolder folder;
    const FileSystemModel model(folder.path());
    write_in_place(folder.file("a"), flushes);
    EXPECT_TRUE(finds_broken(model, "a", {joined(parts('a'))}));
  }
}

TEST(FileSystemModelTest, FindsThatANameMayComeBeforeTheBytes) {
  const TempFolder folder;
  const FileSystemModel model(folder.path());
  array::AtomicFile file(folder.file("a"), "test");
  for (const std::string& part : parts('a')) file.write(part);
  file.commit_unflushed();
  EXPECT_TRUE(finds_broken(model, "a", {joined(parts('a'))}));
}

TEST(FileSystemModelTest, AKeptNameNeedsFsyncOfItsFolder) {
  const TempFolder folder;
  FileSystemModel model(folder.path());
  write_in_place(folder.file("a"), /*flushes=*/true);
  model.promise();
  bool is_lost = false;
  model.for_each_loss([&](const Files& files, int promises) {
    is_lost |= promises == 1 && !files.contains("a");
  });
  EXPECT_TRUE(is_lost);
}

// Where a file system has no files without a name, the new one has another name
// while it is written.
TEST(PowerLossTest, AnAtomicFileIsTheOldOneOrTheNew) {
  for (const bool is_named : {false, true}) {
    const TempFolder folder;
    FileSystemModel model(folder.path());
    std::vector<std::string> versions = {""};
    for (const char first : {'a', 'k', 't'}) {
      std::optional<FaultScope> refusal;
      if (is_named) refusal.emplace(Fault::kOpen, 1);
      array::AtomicFile file(folder.file("a"), "test");
      refusal.reset();
      for (const std::string& part : parts(first)) file.write(part);
      versions.push_back(joined(parts(first)));
      file.commit();
      model.promise();
    }
    const int64_t states =
        model.for_each_loss([&](const Files& files, int promises) {
          const std::string content = content_of(files, "a");
          const auto version = static_cast<size_t>(promises);
          const bool is_next =
              version + 1 < versions.size() && content == versions[version + 1];
          ASSERT_TRUE(content == versions[version] || is_next)
              << content.size() << " bytes after " << promises << " versions";
        });
    EXPECT_GE(states, is_named ? 50 : 10);
  }
}

TEST(PowerLossTest, ATempFileIsThereWholeOrNotAtAll) {
  const TempFolder folder;
  FileSystemModel model(folder.path());
  array::TempFile file(folder.file("a"), "test");
  write_in_place(file.path(), /*flushes=*/false);
  file.commit();
  model.promise();
  model.for_each_loss([&](const Files& files, int promises) {
    const std::string content = content_of(files, "a");
    ASSERT_TRUE(content == joined(parts('a')) ||
                (content.empty() && promises == 0));
  });
}

// What is left of a download is resumed or begun anew, and right in the end.
TEST(PowerLossTest, ADownloadEndsWithTheRightFile) {
  const TempFolder source;
  const std::string data = joined(parts('a'));
  write_file(source.file("data"), data);
  const TempFolder folder;
  FileSystemModel model(folder.path());
  {
    dataset::PartialFile file(folder.file("a"));
    for (const std::string& part : parts('a')) file.append(part);
    file.commit();
  }
  model.promise();
  const std::string sha256 =
      dataset::internal::sha256_of_file(source.file("data"));
  const int64_t states =
      model.for_each_loss([&](const Files& files, int promises) {
        const std::string content = content_of(files, "a");
        ASSERT_TRUE(content == data || (content.empty() && promises == 0));
        const TempFolder after;
        for (const auto& [name, bytes] : files) {
          write_file(after.file(name), bytes);
        }
        dataset::download({"file://" + source.file("data")}, after.file("a"),
                          {.sha256 = sha256});
        ASSERT_EQ(read_file(after.file("a")), data);
      });
  EXPECT_GT(states, 10);
}

// The weight after an iteration.
double weight_after(int64_t iteration) {
  return 1.0 + static_cast<double>(iteration) / 8;
}

// Puts a link into the snapshots of a trainer.
class SavesLink final : public training::Extension {
 public:
  explicit SavesLink(Link& link) : link_(link) {}
  void operator()(training::Trainer&) override {}
  void serialize(const Serializer& serializer) override {
    link_.serialize(serializer);
  }

 private:
  Link& link_;
};

// A trainer that writes a snapshot in each iteration, and keeps some.
struct Run {
  Run(const std::string& folder, int64_t iterations, int64_t n_retains)
      : trainer(updater,
                training::AnyTrigger([iterations](training::Trainer& trainer) {
                  return trainer.updater().iteration() >= iterations;
                }),
                {.out = folder}) {
    updater.on_update = [this](int64_t iteration) {
      updater.model.W.data().fill(weight_after(iteration));
    };
    trainer.extend(SavesLink(updater.model));
    trainer.extend(training::extensions::snapshot(
                       {.n_retains = n_retains, .autoload = true}),
                   {.trigger = {1, "iteration"}});
  }

  ScriptedUpdater updater;
  training::Trainer trainer;
};

// In each state a trainer resumes from the newest snapshot that was written,
// and from that of an iteration whose end it has seen at least.
void check_snapshots(int64_t n_retains) {
  constexpr int64_t kIterations = 4;
  const TempFolder folder;
  FileSystemModel model(folder.path());
  {
    Run run(folder.path(), kIterations, n_retains);
    // After the snapshot, which has the lowest priority otherwise.
    struct Promise final : training::Extension {
      explicit Promise(FileSystemModel& model) : model(model) {}
      void operator()(training::Trainer&) override { model.promise(); }
      FileSystemModel& model;
    };
    run.trainer.extend(
        Promise(model),
        {.name = "promise", .trigger = {1, "iteration"}, .priority = -1000});
    run.trainer.run();
  }
  const int64_t states =
      model.for_each_loss([&](const Files& files, int promises) {
        const TempFolder after;
        for (const auto& [name, bytes] : files) {
          write_file(after.file(name), bytes);
        }
        Run resumed(after.path(), 0, n_retains);
        ASSERT_NO_THROW(resumed.trainer.run());
        const int64_t iteration = resumed.updater.iteration();
        ASSERT_GE(iteration, promises);
        ASSERT_LE(iteration, promises + 1);
        const Array weight = resumed.updater.model.W.data();
        ASSERT_EQ(bits_of(weight),
                  bits_of(array::full_like(weight, weight_after(iteration))));
      });
  EXPECT_GE(states, 10);
}

TEST(PowerLossTest, ATrainerResumesFromTheLastSnapshot) {
  check_snapshots(/*n_retains=*/-1);
}

TEST(PowerLossTest, ATrainerResumesWhereOldSnapshotsAreRemoved) {
  check_snapshots(/*n_retains=*/1);
  check_snapshots(/*n_retains=*/2);
}

}  // namespace
}  // namespace catena::testing
