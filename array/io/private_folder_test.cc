#include "catena/array/io/private_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::array {
namespace {

using ::catena::testing::error_of;
using catena::testing::TempFolder;
using catena::testing::write_file;
using ::testing::HasSubstr;

int64_t entries_in(const std::string& folder) {
  return std::distance(std::filesystem::directory_iterator(folder),
                       std::filesystem::directory_iterator());
}

TEST(PrivateFolderTest, IsForItsUserAloneAndGoneInTheEnd) {
  const TempFolder parent;
  {
    const PrivateFolder folder(parent.path(), ".test.", "test");
    struct stat status = {};
    ASSERT_EQ(::stat(folder.path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0700u);
    write_file(folder.path() + "/file", "text");
  }
  EXPECT_EQ(entries_in(parent.path()), 0);
}

// One that has no lock yet looks like what a killed process left.
TEST(PrivateFolderTest, ThoseOfOtherThreadsStay) {
  const TempFolder parent;
  std::vector<int> lost(4);
  std::vector<std::thread> threads;
  for (int& count : lost) {
    threads.emplace_back([&parent, &count] {
      for (int i = 0; i < 500; ++i) {
        const PrivateFolder folder(parent.path(), ".test.", "test");
        const std::string file = folder.path() + "/file";
        std::ofstream(file) << i;
        count += std::filesystem::exists(file) ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(lost, ::testing::Each(0));
  EXPECT_EQ(entries_in(parent.path()), 0);
}

TEST(PrivateFolderTest, WhatAKilledProcessLeftGoesWithTheNext) {
  const TempFolder parent;
  for (int i = 0; i < 3; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const PrivateFolder folder(parent.path(), ".test.", "test");
      write_file(folder.path() + "/file", "text");
      ::kill(::getpid(), SIGKILL);
    }
    ::waitpid(child, nullptr, 0);
    EXPECT_EQ(entries_in(parent.path()), 1) << i;  // not those before
  }
  const PrivateFolder folder(parent.path(), ".test.", "test");
  EXPECT_EQ(entries_in(parent.path()), 1);
  EXPECT_EQ(entries_in(folder.path()), 0);
}

TEST(PrivateFolderTest, WhatIsInUseOrNotItsOwnStays) {
  const TempFolder parent;
  std::filesystem::create_directory(parent.file(".test.mine"));
  std::filesystem::create_directory(parent.file("other.123456"));
  const PrivateFolder first(parent.path(), ".test.", "test");
  const PrivateFolder second(parent.path(), ".test.", "test");
  EXPECT_NE(first.path(), second.path());
  EXPECT_EQ(entries_in(parent.path()), 4);
}

TEST(PrivateFolderTest, ThreadsMakeThemAtTheSameTime) {
  const TempFolder parent;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 50; ++k) {
        const PrivateFolder folder(parent.path(), ".test.", "test");
        write_file(folder.path() + "/file", "text");
        EXPECT_EQ(entries_in(folder.path()), 1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(entries_in(parent.path()), 0);
}

TEST(PrivateFolderTest, SaysWhereItCannotBe) {
  const TempFolder parent;
  EXPECT_THAT(error_of<IoError>([&] {
                PrivateFolder(parent.file("no"), ".test.", "save: 'x'");
              }),
              HasSubstr("save: 'x': cannot create a folder"));
}

}  // namespace
}  // namespace catena::array
