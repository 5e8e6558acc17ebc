#include "catena/array/io/atomic_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::array {
namespace {

using ::catena::testing::error_of;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::read_file;
using testing::TempFolder;
using testing::write_file;

namespace fs = std::filesystem;

int64_t files_in(const std::string& folder) {
  return std::distance(fs::directory_iterator(folder), {});
}

TEST(AtomicFileTest, AppearsWithCommit) {
  const TempFolder folder;
  AtomicFile file(folder.file("a.bin"), "test");
  file.write(std::string("hello world"));
  file.overwrite(0, std::string("J"));
  EXPECT_EQ(file.position(), 11);
  EXPECT_FALSE(fs::exists(folder.file("a.bin")));
  file.commit();
  EXPECT_EQ(read_file(folder.file("a.bin")), "Jello world");
  EXPECT_EQ(files_in(folder.path()), 1);
}

TEST(AtomicFileTest, CommitsWithoutFlushing) {
  const TempFolder folder;
  write_file(folder.file("a.bin"), "old");
  AtomicFile file(folder.file("a.bin"), "test");
  file.write(std::string("new"));
  EXPECT_EQ(read_file(folder.file("a.bin")), "old");
  file.commit_unflushed();
  EXPECT_EQ(read_file(folder.file("a.bin")), "new");
  EXPECT_EQ(files_in(folder.path()), 1);
}

TEST(AtomicFileTest, LeavesTheOldFileWithoutCommit) {
  const TempFolder folder;
  write_file(folder.file("a.bin"), "old");
  {
    AtomicFile file(folder.file("a.bin"), "test");
    file.write(std::string("new"));
  }
  EXPECT_EQ(read_file(folder.file("a.bin")), "old");
  EXPECT_EQ(files_in(folder.path()), 1);
}

TEST(AtomicFileTest, ManyWritersOfOneNameDoNotDisturbEachOther) {
  const TempFolder folder;
  AtomicFile one(folder.file("a.bin"), "test");
  AtomicFile two(folder.file("a.bin"), "test");
  one.write(std::string("one"));
  two.write(std::string("two"));
  two.commit();
  one.commit();
  EXPECT_EQ(read_file(folder.file("a.bin")), "one");
  EXPECT_EQ(files_in(folder.path()), 1);
}

TEST(AtomicFileTest, KeepsASymbolicLink) {
  const TempFolder folder;
  write_file(folder.file("target"), "old");
  fs::create_symlink("target", folder.file("link"));
  AtomicFile file(folder.file("link"), "test");
  file.write(std::string("new"));
  file.commit();
  EXPECT_TRUE(fs::is_symlink(folder.file("link")));
  EXPECT_EQ(read_file(folder.file("target")), "new");
}

TEST(AtomicFileTest, RefusesAFolderThatIsMissing) {
  const TempFolder folder;
  EXPECT_THAT(error_of<IoError>(
                  [&] { AtomicFile(folder.file("none/a.bin"), "save_npy"); }),
              AllOf(HasSubstr("save_npy: '"), HasSubstr("none/a.bin'"),
                    HasSubstr("No such file or directory")));
}

TEST(AtomicFileTest, RefusesToReplaceWhatIsNoFile) {
  const TempFolder folder;
  EXPECT_THAT(error_of<IoError>([&] { AtomicFile(folder.path(), "test"); }),
              HasSubstr("got a directory"));
  EXPECT_THAT(error_of<IoError>([] { AtomicFile("/dev/null", "test"); }),
              HasSubstr("got a device"));
}

// A limit on the size of files stands in for a disk that is full.
TEST(AtomicFileTest, ADiskThatIsFullLeavesTheOldFile) {
  const TempFolder folder;
  write_file(folder.file("a.bin"), "old");
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small = {.rlim_cur = 1000, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_THAT(
      error_of<IoError>([&] {
        AtomicFile file(folder.file("a.bin"), "test");
        file.write(std::string(2000, 'x'));
      }),
      AllOf(HasSubstr("a.bin': cannot write: "), HasSubstr("File too large")));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(read_file(folder.file("a.bin")), "old");
  EXPECT_EQ(files_in(folder.path()), 1);
}

TEST(AtomicFileTest, KeepsThePermissionsOfTheOldFile) {
  const TempFolder folder;
  write_file(folder.file("a.bin"), "secret");
  fs::permissions(folder.file("a.bin"), fs::perms::owner_read);
  AtomicFile file(folder.file("a.bin"), "test");
  file.write(std::string("new"));
  file.commit();
  EXPECT_EQ(read_file(folder.file("a.bin")), "new");
  EXPECT_EQ(fs::status(folder.file("a.bin")).permissions(),
            fs::perms::owner_read);
}

TEST(AtomicFileTest, AKilledProcessLeavesNothingWhereTheFileSystemCanRemoveIt) {
  const TempFolder folder;
  const int unnamed =
      ::open(folder.path().c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
  const int64_t left = unnamed >= 0 ? 0 : 1;
  if (unnamed >= 0) ::close(unnamed);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    AtomicFile file(folder.file("a.bin"), "test");
    file.write(std::string("half"));
    std::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(files_in(folder.path()), left);
}

TEST(AtomicFileTest, WhatAKilledProcessLeftGoesWithTheNextFileOfThatName) {
  const TempFolder folder;
  write_file(folder.file(".a.bin.unfinished.tmp"), "half");
  for (int i = 0; i < 2; ++i) {
    AtomicFile file(folder.file("a.bin"), "test");
    file.write(std::string("whole"));
    if (i == 0) file.commit();
    if (i == 1) file.commit_unflushed();
    EXPECT_EQ(read_file(folder.file("a.bin")), "whole");
    EXPECT_EQ(files_in(folder.path()), 1);
  }
}

TEST(AtomicFileTest, UnfinishedFilesInUseAndLinksOfThatNameStay) {
  const TempFolder folder;
  const std::string unfinished = folder.file(".a.bin.unfinished.tmp");
  const auto write = [&] {
    AtomicFile file(folder.file("a.bin"), "test");
    file.write(std::string("whole"));
    file.commit();
    EXPECT_EQ(read_file(folder.file("a.bin")), "whole");
  };
  write_file(unfinished, "of another process");
  const int other = ::open(unfinished.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(other, LOCK_EX | LOCK_NB), 0);
  write();
  EXPECT_EQ(read_file(unfinished), "of another process");
  EXPECT_EQ(files_in(folder.path()), 2);
  ::close(other);
  fs::remove(unfinished);

  write_file(folder.file("b.bin"), "linked");
  fs::create_symlink(folder.file("b.bin"), unfinished);
  write();
  EXPECT_EQ(read_file(unfinished), "linked");
}

TEST(AtomicFileTest, ThreadsWriteTheSameFileAtTheSameTime) {
  const TempFolder folder;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 50; ++k) {
        AtomicFile file(folder.file("a.bin"), "test");
        file.write(std::string("whole"));
        file.commit_unflushed();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(read_file(folder.file("a.bin")), "whole");
  EXPECT_EQ(files_in(folder.path()), 1);
}

TEST(AtomicFileTest, WhatIsWrittenCanBeReadBack) {
  const TempFolder folder;
  AtomicFile file(folder.file("a.bin"), "test");
  file.write(std::string("hello"));
  file.overwrite(7, std::string("world"));
  std::string bytes(8, 'x');
  file.read(4, bytes);
  EXPECT_EQ(bytes, std::string("o\0\0world", 8));
  EXPECT_THAT(error_of<IoError>([&] { file.read(5, bytes); }),
              HasSubstr("cannot read beyond its end"));
}

// A failure of the system's calls ends in an error, at once.
TEST(AtomicFileTest, NamesTheFileThatCannotBeReadOrWrittenThere) {
  const TempFolder folder;
  AtomicFile file(folder.file("a.bin"), "test");
  file.write(std::string("hello"));
  std::string bytes(2, 'x');
  EXPECT_THAT(error_of<IoError>([&] { file.read(-1, bytes); }),
              HasSubstr("cannot read"));
  EXPECT_THAT(error_of<IoError>([&] { file.overwrite(-1, bytes); }),
              HasSubstr("cannot write"));
}

TEST(AtomicFileTest, NamesAsLongAsTheFileSystemAllowsWork) {
  const TempFolder folder;
  const std::string path = folder.file(std::string(255, 'n'));
  AtomicFile file(path, "test");
  file.commit();
  EXPECT_TRUE(fs::exists(path));
}

}  // namespace
}  // namespace catena::array
