#include "catena/array/io/folder_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>

#include "catena/tests/testing/temp_folder.h"

namespace catena::array {
namespace {

using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::UnorderedElementsAre;

TEST(FolderNamesTest, AreThoseOfFilesAndFoldersInIt) {
  const testing::TempFolder folder;
  EXPECT_THAT(folder_names(folder.path()), Optional(IsEmpty()));
  testing::write_file(folder.file("a"), "");
  std::filesystem::create_directory(folder.file(".b"));
  EXPECT_THAT(folder_names(folder.path()),
              Optional(UnorderedElementsAre("a", ".b")));
}

TEST(FolderNamesTest, AreNoneOfWhatIsNoFolder) {
  const testing::TempFolder folder;
  EXPECT_EQ(folder_names(folder.file("missing")), std::nullopt);
  EXPECT_EQ(errno, ENOENT);
}

}  // namespace
}  // namespace catena::array
