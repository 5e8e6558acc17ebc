#include "catena/array/io/file_identity.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "catena/tests/testing/temp_folder.h"

namespace catena::array {
namespace {

using testing::TempFolder;
using testing::write_file;

TEST(FileIdentityTest, AnOpenFileHasTheNameThatLeadsToItNow) {
  const TempFolder folder;
  const std::string path = folder.file("a");
  write_file(path, "1");
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(file, 0);
  EXPECT_TRUE(has_name(file, path));
  std::filesystem::create_hard_link(path, folder.file("b"));
  EXPECT_TRUE(has_name(file, folder.file("b")));
  std::filesystem::create_symlink(path, folder.file("c"));
  EXPECT_FALSE(has_name(file, folder.file("c")));
  EXPECT_FALSE(has_name(file, "/proc"));  // on another device
  std::filesystem::remove(path);
  EXPECT_FALSE(has_name(file, path));
  write_file(path, "2");
  EXPECT_FALSE(has_name(file, path));
  ::close(file);
  EXPECT_FALSE(has_name(-1, path));
}

}  // namespace
}  // namespace catena::array
