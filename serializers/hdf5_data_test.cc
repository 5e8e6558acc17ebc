// Chunks and other data of datasets, some put together by hand.

#include "catena/serializers/hdf5_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/io/load_limits.h"
#include "catena/serializers/hdf5_library.h"
#include "catena/serializers/hdf5_reader.h"
#include "catena/serializers/testing/hdf5_handmade.h"
#include "catena/serializers/testing/hdf5_handmade_dataset.h"
#include "catena/serializers/testing/hdf5_hostile.h"
#include "catena/serializers/testing/hdf5_sample.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::serializers {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::IsArray;
using ::catena::testing::read_file;
using handmade::compact;
using handmade::contiguous;
using handmade::filters_2;
using handmade::kNone;
using handmade::kRoot;
using handmade::kSmallOnes;
using handmade::message;
using handmade::number;
using handmade::Parts;
using handmade::space_1;
using handmade::space_2;
using ::testing::HasSubstr;

TEST_F(HandmadeDatasetTest, OldLayoutsOfChunksAreRead) {
  const auto layout = [](uint64_t tree) {
    return number(1, 1) + number(2, 1) + number(2, 1) + number(0, 5) +
           number(tree, 8) + number(2, 4) + number(2, 4);
  };
  Parts parts = {.layout = layout(kNone)};
  const uint64_t tree = behind(parts);
  parts.layout = layout(tree);
  // A node with one chunk, which comes behind it.
  const std::string key = number(4, 4) + number(0, 4) + number(0, 16);
  const std::string end = number(0, 8) + number(2, 8) + number(0, 8);
  const uint64_t chunk = tree + 24 + key.size() + 8 + end.size();
  parts.behind = "TREE" + number(1, 1) + number(0, 1) + number(1, 2) +
                 number(kNone, 8) + number(kNone, 8) + key + number(chunk, 8) +
                 end + kSmallOnes;
  parts.behind.resize(2096, '\0');  // a node with room for more
  expect_numbers(parts, {1, 2});
  parts.layout = layout(kNone);
  expect_refusal(parts, "damaged chunk: expected 1 of them in the file, got 0");
}

TEST_F(HandmadeDatasetTest, ChunksThatDoNotSuitTheDatasetAreRefused) {
  const auto layout = [](const std::vector<uint64_t>& extents) {
    std::string body = number(3, 1) + number(2, 1) + number(extents.size(), 1) +
                       number(kNone, 8);
    for (const uint64_t extent : extents) body += number(extent, 4);
    return body;
  };
  expect_refusal({.layout = layout({2, 2, 2})},
                 "damaged chunk: expected 1 axes, got 2");
  expect_refusal({.space = space_1({}), .layout = layout({2})},
                 "damaged chunk: expected 0 axes, got 0");
  expect_refusal({.layout = layout({2, 4})},
                 "damaged chunk: expected elements of 2 bytes, got 4");
}

// One chunk, which its layout says all about.
std::string single_chunk(uint64_t extent, uint64_t address, uint64_t bytes,
                         uint32_t mask, int flags = 0) {
  constexpr int kSingleChunkHasFilters = 1 << 1;
  return number(4, 1) + number(2, 1) +
         number(static_cast<uint64_t>(flags | kSingleChunkHasFilters), 1) +
         number(2, 1) + number(1, 1) + number(extent, 1) + number(2, 1) +
         number(1, 1) + number(bytes, 8) + number(mask, 4) + number(address, 8);
}

TEST_F(HandmadeDatasetTest, AChunkThatSkipsASumHasNone) {
  // Deflate's own frame around the four bytes, as they are.
  const std::string stored = "\x78\x01" + number(1, 1) + number(4, 2) +
                             number(0xffff - 4, 2) + kSmallOnes +
                             std::string("\0\x0c\0\x04", 4);
  Parts parts = {.layout = single_chunk(2, 0, stored.size(), 1 << 0),
                 .more = filters_2({{3, 1}, {1, 0}}),
                 .behind = stored};
  parts.layout = single_chunk(2, behind(parts), stored.size(), 1 << 0);
  expect_numbers(parts, {1, 2});
  // A filter that is not optional.
  parts.more = filters_2({{3, 0}, {1, 0}});
  expect_refusal(parts,
                 "expected every filter that is not optional, got no filter 3");
}

TEST_F(HandmadeDatasetTest, AChunkWithoutFiltersHasTheBytesOfItsElements) {
  Parts parts = {.layout = single_chunk(2, 0, 3, 0), .behind = kSmallOnes};
  parts.layout = single_chunk(2, behind(parts), 3, 0);
  expect_refusal(parts, "damaged chunk: expected 4 bytes, got 3");
  parts.layout = single_chunk(2, behind(parts), 4, 0);
  expect_numbers(parts, {1, 2});
  // One that reaches beyond the array, where filters are left out.
  constexpr int kEdgesAreUnfiltered = 1 << 0;
  parts.more = filters_2({{3, 0}});
  parts.behind = kSmallOnes + number(0, 4);
  parts.layout = single_chunk(3, behind(parts), 7, 0, kEdgesAreUnfiltered);
  expect_refusal(parts, "damaged chunk: expected 6 bytes, got 7");
  parts.layout = single_chunk(3, behind(parts), 6, 0, kEdgesAreUnfiltered);
  expect_numbers(parts, {1, 2});
}

// Chunks that stand one after the other, and have no index.
std::string implicit_chunks(int axes, uint64_t address) {
  std::string body = number(4, 1) + number(2, 1) + number(0, 1) +
                     number(static_cast<uint64_t>(axes) + 1, 1) + number(1, 1);
  for (int i = 0; i < axes; ++i) body += number(1, 1);
  return body + number(2, 1) + number(2, 1) + number(address, 8);
}

TEST_F(HandmadeDatasetTest, ChunksWhosePlaceIsBeyond64BitsAreRefused) {
  const auto space = [](const std::vector<uint64_t>& largest) {
    std::string body;
    for (size_t i = 0; i < largest.size(); ++i)
      body += number(i == 0 ? 2 : 1, 8);
    for (const uint64_t extent : largest) body += number(extent, 8);
    return space_2(static_cast<int>(largest.size()), 1, body, 1);
  };
  Parts parts = {.layout = implicit_chunks(1, 0), .behind = kSmallOnes};
  parts.layout = implicit_chunks(1, behind(parts));
  expect_numbers(parts, {1, 2});
  const auto expect_refused = [&](const std::vector<uint64_t>& largest,
                                  const std::string& message) {
    Parts wide = {.space = space(largest), .behind = std::string(64, '\0')};
    const auto axes = static_cast<int>(largest.size());
    wide.layout = implicit_chunks(axes, 0);
    wide.layout = implicit_chunks(axes, behind(wide));
    expect_refusal(wide, message);
  };
  const std::string many = "expected fewer chunks, got more than 2^64";
  expect_refused({2, uint64_t{1} << 40, uint64_t{1} << 40}, many);
  const std::string far = "chunks in the file, got one beyond its end";
  expect_refused({2, uint64_t{1} << 63}, far);
  expect_refused({2, (uint64_t{1} << 63) - 1}, far);
  parts.more = filters_2({{3, 0}});
  expect_refusal(parts, "expected chunks without filters, got filters");
}

TEST_F(HandmadeDatasetTest, DataThatIsTooShortIsRefused) {
  expect_refusal({.layout = compact(number(1, 3))},
                 "expected 4 bytes of data, got 3");
  expect_refusal({.layout = contiguous(kRoot, 3)},
                 "expected 4 bytes of data, got 3");
  expect_refusal({.layout = contiguous(1 << 20, 4)},
                 "expected 4 bytes of data at 1048576, got a file that ends");
}

TEST_F(HandmadeDatasetTest, DataInOtherFilesIsRefused) {
  expect_refusal({.more = message(7, number(0, 8))}, "data in this file");
  expect_refusal({.layout = number(4, 1) + number(3, 1)}, "data in this file");
}

TEST_F(HostileTest, TwoObjectsOfAGlobalHeapWithOneNumberAreRefused) {
  {
    Hdf5Sample file(path());
    const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type.id(), H5T_VARIABLE);
    const char* text = "some text";
    Hdf5Sample::write(file.create("x", type.id(), {}), type.id(), &text);
  }
  std::string bytes = read_file(path());
  const size_t at = bytes.find("some text");
  ASSERT_NE(at, std::string::npos);
  // The next object, of number 0, has what is free, its own header included.
  ASSERT_EQ(bytes[at + 16], 0);
  bytes[at + 16] = 1;
  ASSERT_EQ(bytes.substr(at + 24, 8), number(4048, 8));
  bytes.replace(at + 24, 8, number(4048 - 16, 8));
  expect_refusal(bytes, "objects of different numbers");
}

TEST_F(HostileTest, DatasetsWithoutElementsHaveALayout) {
  {
    Hdf5Sample file(path(), {.version = H5F_LIBVER_LATEST});
    const Hdf5Handle space(H5Screate(H5S_NULL), H5Sclose);
    Hdf5Handle(H5Dcreate2(file.id(), "x", H5T_STD_I16LE, space.id(),
                          H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
               H5Dclose);
  }
  const std::string whole = read_file(path());
  // A layout message: type, 18 bytes, flags, version and contiguous data.
  const size_t at = whole.find(std::string("\x08\x12\0\0", 4));
  ASSERT_NE(at, std::string::npos);
  std::string bytes = whole;
  bytes[at + 4] = 9;
  expect_refusal(mended(whole, bytes), "got 9");
}

TEST_F(HostileTest, GzipFiltersOfOtherLevelsAreRefused) {
  {
    Hdf5Sample file(path());
    file.add(
        "x", H5T_STD_I16LE, {8},
        {.layout = H5D_CHUNKED, .chunk = {4}, .filters = {H5Z_FILTER_DEFLATE}});
  }
  std::string bytes = read_file(path());
  // The name in the message, then the level.
  const size_t at = bytes.find(std::string("deflate\0", 8));
  ASSERT_NE(at, std::string::npos);
  ASSERT_EQ(bytes[at + 8], 6);
  bytes[at + 8] = 10;
  expect_refusal(bytes, "a level from 0 to 9");
}

// A dataset "x" of chunks with one filter.
class HostileChunksTest : public HostileTest {
 protected:
  std::string chunks(hsize_t count, hsize_t extent) {
    {
      Hdf5Sample file(path());
      file.add("x", H5T_STD_I16LE, {count * extent},
               {.layout = H5D_CHUNKED,
                .chunk = {extent},
                .filters = {H5Z_FILTER_DEFLATE}});
    }
    return read_file(path());
  }
};

// The tree's keys have the bytes of a chunk.
TEST_F(HostileChunksTest, ChunksThatOverlapAreRefused) {
  std::string bytes = chunks(60, 1000);
  const size_t node = bytes.rfind(std::string("TREE\1", 5));
  ASSERT_NE(node, std::string::npos);
  for (size_t i = 0; i < 60; ++i) {
    bytes.replace(node + 24 + 32 * i, 4, number(1500, 4));
    bytes.replace(node + 24 + 32 * i + 24, 8, number(0, 8));
  }
  expect_refusal(bytes, "chunks that fit in the file together");
}

TEST_F(HostileChunksTest, ChunksOfTheSamePlaceAreRefused) {
  std::string bytes = chunks(2, 10);
  const size_t node = bytes.rfind(std::string("TREE\1", 5));
  ASSERT_NE(node, std::string::npos);
  bytes.replace(node + 24 + 32 + 8, 8, number(0, 8));
  expect_refusal(bytes, "keys in order");
}

TEST_F(HostileTest, ChunksThatLookingUpWouldMissAreRefused) {
  {
    Hdf5Sample file(path());
    file.add("x", H5T_STD_I16LE, {8}, {.layout = H5D_CHUNKED, .chunk = {4}});
  }
  const std::string good = read_file(path());
  const size_t tree = good.find(std::string("TREE\1", 5));
  ASSERT_NE(tree, std::string::npos);
  // A key: bytes, mask, the first element and byte; then the chunk's address.
  constexpr size_t kKey = 24, kStep = kKey + 8;
  const auto with = [&](size_t key, size_t offset, uint64_t value,
                        size_t size) {
    std::string bytes = good;
    return bytes.replace(tree + 24 + key * kStep + offset, size,
                         number(value, size));
  };
  EXPECT_TRUE(Hdf5Reader(path()).read("x").has_value());
  expect_refusal(with(0, 8, 4, 8), "keys in order");
  expect_refusal(with(1, 8, 0, 8), "keys in order");
  expect_refusal(with(2, 8, 0, 8), "keys in order");
  expect_refusal(with(0, 16, 1, 8), "keys in order");
  expect_refusal(with(0, 0, 7, 4), "chunks of 8 bytes");
}

TEST_F(HostileChunksTest, LargeChunksOfSmallArraysAreRefused) {
  {
    Hdf5Sample file(path());
    file.add("x", H5T_STD_I16LE, {4},
             {.layout = H5D_CHUNKED,
              .chunk = {(1 << 24) + 8},
              .max_shape = {H5S_UNLIMITED},
              .filters = {H5Z_FILTER_DEFLATE}});
  }
  EXPECT_TRUE(Hdf5Reader(path()).read("x").has_value());
  EXPECT_THAT(error_of<IoError>([&] {
                Hdf5Reader(path(), {.array_bytes = 1 << 20}).read("x");
              }),
              HasSubstr("got a larger chunk"));
  EXPECT_THAT(error_of<IoError>([&] {
                Hdf5Reader(path(), {.total_bytes = 1 << 20}).read("x");
              }),
              HasSubstr("LoadLimits::total_bytes"));
  EXPECT_THAT(error_of<IoError>([&] {
                Hdf5Reader(path(), {.compression_ratio = 100}).read("x");
              }),
              HasSubstr("at most 100 times"));
}

// The last chunk has a row of the array and one behind it.
TEST_F(HostileTest, ChunksWithChecksumsMayReachBeyondTheArray) {
  {
    Hdf5Sample file(path());
    file.add("x", H5T_STD_I16LE, {3},
             {.layout = H5D_CHUNKED,
              .chunk = {2},
              .filters = {H5Z_FILTER_FLETCHER32}});
  }
  EXPECT_THAT(std::get<Array>(*Hdf5Reader(path()).read("x")),
              IsArray(array::array({0, 37, 74}, Dtype::kInt16)));
}

TEST_F(HostileTest, VirtualDatasetsAreRefused) {
  {
    Hdf5Sample file(path(), {.version = H5F_LIBVER_LATEST});
    const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    const hsize_t four = 4;
    const Hdf5Handle space(H5Screate_simple(1, &four, nullptr), H5Sclose);
    H5Pset_virtual(creation.id(), space.id(), "other.h5", "y", space.id());
    file.create_as("x", H5T_STD_I16LE, {4}, {}, creation.id());
  }
  expect_refusal(read_file(path()), "expected data in this file");
}

}  // namespace
}  // namespace catena::serializers
