#include "catena/dataset/download.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

#include "catena/array/error.h"
#include "catena/dataset/sha256.h"
#include "catena/tests/support/temp_folder.h"

namespace catena::dataset {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::read_file;
using testing::TempFolder;
using ::testing::ThrowsMessage;
using testing::write_file;

class DownloadTest : public ::testing::Test {
 protected:
  DownloadTest() {
    set_dataset_root(folder.file("root"));
    write_file(folder.file("source"), "content");
  }
  ~DownloadTest() override { set_dataset_root(""); }

  std::string url(const std::string& name) const {
    return "file://" + folder.file(name);
  }
  size_t files_in_folder() const {
    size_t count = 0;
    for ([[maybe_unused]] const auto& entry :
         fs::directory_iterator(folder.path())) {
      ++count;
    }
    return count;
  }

  TempFolder folder;
};

TEST_F(DownloadTest, TheRootIsWhatWasSetElseFromTheEnvironment) {
  EXPECT_EQ(get_dataset_root(), folder.file("root"));
  set_dataset_root("");
  ASSERT_EQ(setenv("CATENA_DATASET_ROOT", "/some/place", 1), 0);
  EXPECT_EQ(get_dataset_root(), "/some/place");
  ASSERT_EQ(setenv("CATENA_DATASET_ROOT", "", 1), 0);
  ASSERT_EQ(setenv("HOME", "/home/somebody", 1), 0);
  EXPECT_EQ(get_dataset_root(), "/home/somebody/.catena/dataset");
  ASSERT_EQ(unsetenv("HOME"), 0);
  EXPECT_THAT([] { get_dataset_root(); },
              ThrowsMessage<ValueError>(HasSubstr("CATENA_DATASET_ROOT")));
}

TEST_F(DownloadTest, DirectoriesAreMadeUnlessAskedOtherwise) {
  const std::string plain = get_dataset_directory("a/b", CreateDirectory::kNo);
  EXPECT_EQ(plain, folder.file("root") + "/a/b");
  EXPECT_FALSE(fs::exists(plain));
  EXPECT_EQ(get_dataset_directory("a/b"), plain);
  EXPECT_TRUE(fs::is_directory(plain));
  set_dataset_root(folder.file("source"));  // a file
  EXPECT_THAT([] { get_dataset_directory("a"); },
              ThrowsMessage<IoError>(HasSubstr("cannot create")));
}

TEST_F(DownloadTest, WritesTheContentAndNothingElse) {
  const std::string path = folder.file("copy");
  download({url("source")}, path, {.sha256 = sha256(std::string("content"))});
  EXPECT_EQ(read_file(path), "content");
  EXPECT_EQ(files_in_folder(), 2u);
}

TEST_F(DownloadTest, TriesOneUrlAfterTheOther) {
  const std::string path = folder.file("copy");
  download({url("missing"), url("source")}, path);
  EXPECT_EQ(read_file(path), "content");
}

TEST_F(DownloadTest, SaysWhatFailedAndLeavesNothing) {
  const std::string path = folder.file("copy");
  EXPECT_THAT(
      [&] {
        download({url("missing"), url("source")}, path, {.sha256 = "ab"});
      },
      ThrowsMessage<IoError>(
          AllOf(HasSubstr("cannot get '" + path), HasSubstr(url("missing")),
                HasSubstr(url("source") + ": expected the SHA-256 ab, got "
                                          "ed7002b4"))));
  EXPECT_FALSE(fs::exists(path));
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(DownloadTest, RefusesWhatIsTooLarge) {
  EXPECT_THAT(
      [&] { download({url("source")}, folder.file("copy"), {.max_bytes = 6}); },
      ThrowsMessage<IoError>(HasSubstr("more than 6 bytes")));
}

TEST_F(DownloadTest, RefusesOtherProtocolsAndHostsThatDoNotExist) {
  EXPECT_THROW(download({"gopher://localhost/x"}, folder.file("copy")),
               IoError);
  EXPECT_THAT([&] { download({"http://host.invalid/x"}, folder.file("copy")); },
              ThrowsMessage<IoError>(HasSubstr("http://host.invalid/x: ")));
}

TEST_F(DownloadTest, ADownloadIsCached) {
  const std::string path = cached_download(url("source"));
  EXPECT_EQ(read_file(path), "content");
  EXPECT_THAT(path, HasSubstr(folder.file("root") + "/_dl_cache/"));
  fs::remove(folder.file("source"));
  EXPECT_EQ(cached_download(url("source")), path);
}

TEST_F(DownloadTest, CacheOrLoadFileCreatesOnce) {
  const std::string path = folder.file("cache");
  int created = 0;
  const auto creator = [&](const std::string& temporary) {
    EXPECT_FALSE(fs::exists(temporary));
    EXPECT_NE(temporary, path);
    ++created;
    write_file(temporary, "made");
    return std::string("made");
  };
  EXPECT_EQ(cache_or_load_file(path, creator, read_file), "made");
  EXPECT_EQ(cache_or_load_file(path, creator, read_file), "made");
  EXPECT_EQ(created, 1);
  EXPECT_EQ(files_in_folder(), 2u);
}

TEST_F(DownloadTest, AFailedCreatorLeavesNothing) {
  const std::string path = folder.file("cache");
  const auto creator = [&](const std::string& temporary) -> std::string {
    write_file(temporary, "half");
    throw std::runtime_error("no more");
  };
  EXPECT_THROW(cache_or_load_file(path, creator, read_file),
               std::runtime_error);
  EXPECT_FALSE(fs::exists(path));
  EXPECT_EQ(files_in_folder(), 1u);
  const auto forgetful = [](const std::string&) { return std::string(); };
  EXPECT_THROW(cache_or_load_file(path, forgetful, read_file), IoError);
  EXPECT_THROW(cache_or_load_file(folder.file("no/such"), creator, read_file),
               IoError);
}

TEST_F(DownloadTest, ThreadsThatCreateAtOnceAllSucceed) {
  const std::string path = folder.file("cache");
  std::vector<std::thread> threads;
  std::vector<std::string> results(4);
  for (std::string& result : results) {
    threads.emplace_back([&] {
      result = cache_or_load_file(
          path,
          [](const std::string& temporary) {
            write_file(temporary, "made");
            return std::string("made");
          },
          read_file);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(results, ::testing::Each("made"));
  EXPECT_EQ(read_file(path), "made");
}

}  // namespace
}  // namespace catena::dataset
