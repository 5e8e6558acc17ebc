// Superblocks, and reads of what is not in the file.

#include "catena/serializers/hdf5_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/serializers/hdf5_reader.h"
#include "catena/serializers/testing/hdf5_handmade.h"
#include "catena/serializers/testing/hdf5_handmade_dataset.h"
#include "catena/serializers/testing/hdf5_handmade_group.h"
#include "catena/serializers/testing/hdf5_hostile.h"
#include "catena/serializers/testing/hdf5_sample.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::serializers {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::read_file;
using ::catena::testing::write_file;
using handmade::group_of;
using ::testing::HasSubstr;

TEST_F(HandmadeDatasetTest, AFileIsReadWithinItsBounds) {
  value({});
  const hdf5::File file(path(), {});
  std::string bytes(2, '\0');
  EXPECT_THAT(error_of<IoError>([&] { file.read(file.end() - 1, bytes); }),
              HasSubstr(str("expected 2 bytes at ", file.end() - 1,
                            ", got a file that ends at ", file.end())));
  hdf5::Walk walk(file, "here");
  hdf5::Cursor cursor(walk, "structure", 8);
  cursor.skip(4);
  EXPECT_EQ(cursor.part_before("part", 1, 3).left(), 3u);
  const auto expect_no_part = [&](uint64_t begin, uint64_t count) {
    EXPECT_THAT(
        error_of<IoError>([&] { cursor.part_before("part", begin, count); }),
        HasSubstr(str("here: structure at 8: expected part inside, of ", count,
                      " bytes at ", begin, ", got only 4 bytes")));
  };
  expect_no_part(0, 5);
  expect_no_part(2, 3);
}

TEST_F(HostileTest, SuperblocksOfOtherValuesAreRefused) {
  const std::string good = group_of({});
  for (const auto& [at, value, message] :
       std::vector<std::tuple<size_t, char, std::string>>{
           {9, 1, "version 0"},
           {10, 1, "version 0"},
           {12, 1, "version 0"},
           {13, 3, "addresses and lengths of 2, 4 or 8 bytes, got 3"},
           // Two bytes: then other fields are where zeros were.
           {13, 2, "hostile.h5"},
           {16, 0, "a size above 0"},
           {18, 0, "a size above 0"},
           {20, 8, "flags"},
           {32, 0, "no index of free space"},
           {72, 2, "a root group of kind 0 or 1, got 2"},
           {72, 3, "a root group of kind 0 or 1, got 3"}}) {
    std::string bytes = good;
    bytes[at] = value;
    expect_refusal(bytes, message);
  }
}

// Superblocks of version 1 also say how large nodes of chunks are.
TEST_F(HostileTest, SuperblocksWithSizesOfNodesOfChunksAreRead) {
  {
    const Hdf5Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
    H5Pset_istore_k(creation.id(), 16);
    const Hdf5Handle made(
        H5Fcreate(path().c_str(), H5F_ACC_TRUNC, creation.id(), H5P_DEFAULT),
        H5Fclose);
    ASSERT_TRUE(made.is_open());
  }
  std::string bytes = read_file(path());
  constexpr size_t kVersion = 8, kChunks = 24;
  ASSERT_EQ(bytes[kVersion], 1);
  EXPECT_FALSE(Hdf5Reader(path()).read("x").has_value());
  EXPECT_EQ(bytes[kChunks], 16);
  bytes[kChunks] = 0;
  expect_refusal(bytes, "expected B-tree nodes of a size above 0");
}

TEST_F(HostileTest, FilesOfOtherFormatsAreRefused) {
  for (const std::string& bytes :
       {std::string(), std::string("\x89HDF\r\n\x1a"), std::string(5000, 'x'),
        std::string("PK\3\4")}) {
    expect_refusal(bytes, "expected an HDF5 file");
  }
}

TEST_F(HostileTest, FilesThatAreStillWrittenAreRefused) {
  Hdf5Sample file(path(), {.version = H5F_LIBVER_LATEST});
  file.add("x", H5T_STD_I16LE, {4});
  H5Fflush(file.id(), H5F_SCOPE_LOCAL);
  EXPECT_THAT(error_of<IoError>([&] { Hdf5Reader(path(), kSmall); }),
              HasSubstr("a file that its writer has closed"));
}

// The fields of superblock version 3, which has a checksum.
TEST_F(HostileTest, FilesWithFlagsOfAWriterAreRefused) {
  {
    Hdf5Sample file(path(), {.version = H5F_LIBVER_LATEST});
    file.add("x", H5T_STD_I16LE, {4});
  }
  const std::string whole = read_file(path());
  constexpr size_t kFlags = 11;
  ASSERT_EQ(whole[kFlags], 0);
  const auto with_flags = [&](char flags) {
    std::string bytes = whole;
    bytes[kFlags] = flags;
    return mended(whole, bytes);
  };
  write_file(path(), with_flags(2));
  EXPECT_TRUE(Hdf5Reader(path()).read("x").has_value());
  for (const char flags : {'\1', '\3', '\4', '\5', '\6'}) {
    expect_refusal(with_flags(flags),
                   "expected a file that its writer has closed");
  }
  expect_refusal(with_flags(8), "expected flags that the format has, got 8");
}

}  // namespace
}  // namespace catena::serializers
