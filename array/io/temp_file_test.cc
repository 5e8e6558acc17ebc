#include "catena/array/io/temp_file.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "catena/array/core/error.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::array {
namespace {

using ::catena::testing::error_of;
using catena::testing::read_file;
using catena::testing::TempFolder;
using catena::testing::write_file;
using ::testing::HasSubstr;

TEST(TempFileTest, AppearsUnderItsNameWhenItIsCommitted) {
  const TempFolder folder;
  write_file(folder.file("model.h5"), "old");
  TempFile file(folder.file("model.h5"), "test");
  EXPECT_EQ(std::filesystem::path(file.path()).filename(), "model.h5");
  EXPECT_FALSE(std::filesystem::exists(file.path()));
  write_file(file.path(), "new");
  EXPECT_EQ(read_file(folder.file("model.h5")), "old");
  file.commit();
  EXPECT_EQ(read_file(folder.file("model.h5")), "new");
}

TEST(TempFileTest, LeavesNothingWithoutACommit) {
  const TempFolder folder;
  {
    const TempFile file(folder.file("x"), "test");
    write_file(file.path(), "half");
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(TempFileTest, SaysWhatItCannotDo) {
  const TempFolder folder;
  EXPECT_THAT(error_of<IoError>([&] { TempFile(folder.file("no/x"), "save"); }),
              AllOf(HasSubstr("save: "), HasSubstr("no/x"),
                    HasSubstr("cannot create a folder in")));
  TempFile unwritten(folder.file("x"), "save");
  EXPECT_THAT(error_of<IoError>([&] { unwritten.commit(); }),
              HasSubstr("save: "));
}

}  // namespace
}  // namespace catena::array
