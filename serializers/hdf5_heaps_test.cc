// Heaps, and arrays of chunks, as no library writes them.

#include "catena/serializers/hdf5_heaps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <variant>

#include "catena/array/array.h"
#include "catena/array/core/error.h"
#include "catena/serializers/hdf5_checksums.h"
#include "catena/serializers/hdf5_reader.h"
#include "catena/serializers/testing/hdf5_handmade.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::serializers {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::TempFolder;
using ::catena::testing::write_file;
using handmade::header;
using handmade::kNone;
using handmade::kRoot;
using handmade::link_to;
using handmade::message;
using handmade::number;
using ::testing::HasSubstr;

std::string with_sum(const std::string& structure) {
  return structure + number(hdf5::lookup3(structure), 4);
}

class HeapsTest : public ::testing::Test {
 protected:
  std::optional<SerializedValue> read(const std::string& bytes) const {
    write_file(folder_.file("handmade.h5"), bytes);
    return Hdf5Reader(folder_.file("handmade.h5")).read("x");
  }
  void expect_refusal(const std::string& bytes,
                      const std::string& message) const {
    EXPECT_THAT(error_of<IoError>([&] { read(bytes); }), HasSubstr(message));
  }

 private:
  TempFolder folder_;
};

// A group whose only link, to itself by the name x, is in a fractal heap of one
// block. Tests change its parts.
struct DenseGroup {
  static constexpr uint64_t kInfo = kRoot + 16 + 8 + 24;  // behind the header
  static constexpr uint64_t kHeap = kInfo;
  static constexpr uint64_t kHeapBytes = 146;
  static constexpr uint64_t kTree = kHeap + kHeapBytes;
  static constexpr uint64_t kLeaf = kTree + 38;
  static constexpr uint64_t kLeafBytes = 6 + 11 + 4;
  static constexpr uint64_t kBlock = kLeaf + kLeafBytes;
  static constexpr uint64_t kBlockHead = 5 + 8 + 4;

  uint64_t heap_flags = 0;
  uint64_t width = 4;
  uint64_t first_bytes = 64;
  uint64_t largest_block = 64;
  uint64_t root = kBlock;
  uint64_t rows = 0;
  uint64_t records = 1;
  uint64_t id_head = 0;
  uint64_t object_at = kBlockHead;
  uint64_t object_bytes = 12;
  std::string block = direct_block(0);

  static std::string link() {
    return number(1, 2) + number(1, 1) + "x" + number(kRoot, 8);
  }
  static std::string block_head(const std::string& signature, uint64_t offset) {
    return signature + number(0, 1) + number(kHeap, 8) + number(offset, 4);
  }
  static std::string direct_block(uint64_t offset) {
    std::string bytes = block_head("FHDB", offset) + link();
    bytes.resize(64, '\0');
    return bytes;
  }

  std::string file() const {
    const std::string info =
        message(2, number(0, 2) + number(kHeap, 8) + number(kTree, 8));
    const std::string heap = with_sum(
        "FRHP" + number(0, 1) + number(7, 2) + number(0, 2) +
        number(heap_flags, 1) + number(64, 4) + std::string(12 * 8, '\0') +
        number(width, 2) + number(first_bytes, 8) + number(largest_block, 8) +
        number(32, 2) + number(0, 2) + number(root, 8) + number(rows, 2));
    const std::string tree =
        with_sum("BTHD" + number(0, 1) + number(5, 1) + number(512, 4) +
                 number(11, 2) + number(0, 2) + number(0, 2) +
                 number(kLeaf, 8) + number(records, 2) + number(records, 8));
    const std::string leaf = with_sum(
        "BTLF" + number(0, 1) + number(5, 1) +
        number(hdf5::lookup3(std::string("x")), 4) + number(id_head, 1) +
        number(object_at, 4) + number(object_bytes, 1) + number(0, 1));
    EXPECT_EQ(heap.size(), kHeapBytes);
    EXPECT_EQ(leaf.size(), kLeafBytes);
    // Nodes of trees are in the file as a whole.
    return handmade::file(header(info) + heap + tree + leaf + block +
                          std::string(512, '\0'));
  }
};

TEST_F(HeapsTest, ALinkInAHeapIsRead) {
  // It leads to the root, which is no dataset.
  expect_refusal(DenseGroup{}.file(), "expected a dataset, got a group");
}

TEST_F(HeapsTest, AHeapMayBeEmpty) {
  EXPECT_FALSE(read(DenseGroup{.root = kNone, .records = 0}.file()));
  expect_refusal(DenseGroup{.root = kNone}.file(),
                 "expected an object in a block of the heap, got offset 17");
}

TEST_F(HeapsTest, ObjectsAreInsideABlock) {
  expect_refusal(DenseGroup{.id_head = 1 << 6}.file(),
                 "expected version 0, got 1");
  for (const uint64_t kind : {1, 2, 3}) {
    expect_refusal(DenseGroup{.id_head = kind << 4}.file(),
                   "one that is huge or in the ID itself");
  }
  expect_refusal(DenseGroup{.object_at = 60}.file(),
                 "expected link message inside, of 12 bytes at 60");
  expect_refusal(DenseGroup{.object_bytes = 65}.file(),
                 "expected objects that fit in the heap together, got more");
}

TEST_F(HeapsTest, BlocksHaveRoomForTheirHeader) {
  expect_refusal(DenseGroup{.first_bytes = 16, .largest_block = 16}.file(),
                 "expected a block with room for its header, got 16 bytes");
}

TEST_F(HeapsTest, SumsOfBlocksAreChecked) {
  constexpr uint64_t kHasChecksums = 1 << 1;
  std::string summed = DenseGroup::block_head("FHDB", 0);
  const size_t sum_at = summed.size();
  summed += number(0, 4) + DenseGroup::link();
  summed.resize(64, '\0');
  const uint32_t sum = hdf5::lookup3(summed);
  DenseGroup group = {.heap_flags = kHasChecksums, .object_at = sum_at + 4};
  group.block = summed;
  group.block.replace(sum_at, 4, number(sum, 4));
  expect_refusal(group.file(), "expected a dataset, got a group");
  group.block.replace(sum_at, 4, number(sum ^ 1, 4));
  expect_refusal(group.file(),
                 str("direct block of a fractal heap at ", DenseGroup::kBlock,
                     ": expected checksum ", sum ^ 1, ", got ", sum));
}

TEST_F(HeapsTest, BlocksOfBlocksHaveRows) {
  // One row of four blocks; only the third is there.
  const std::string head = DenseGroup::block_head("FHIB", 0);
  const uint64_t direct = DenseGroup::kBlock + head.size() + 4 * 8 + 4;
  DenseGroup group = {.rows = 1, .object_at = 2 * 64 + DenseGroup::kBlockHead};
  group.block = with_sum(head + number(kNone, 8) + number(kNone, 8) +
                         number(direct, 8) + number(kNone, 8)) +
                DenseGroup::direct_block(2 * 64);
  expect_refusal(group.file(), "expected a dataset, got a group");
  // The blocks of the third row have blocks themselves, as many rows as make
  // up their bytes: here none, since a row has more.
  std::string children;
  for (int i = 0; i < 3 * 4; ++i) children += number(kNone, 8);
  const uint64_t inner = DenseGroup::kBlock + head.size() + children.size() + 4;
  children.replace(2 * 4 * 8, 8, number(inner, 8));
  group.rows = 3;
  group.block = with_sum(head + children) +
                DenseGroup::block_head("FHIB", 4 * 64 + 4 * 64);
  expect_refusal(group.file(), "expected at least 1 row of blocks, got none");
}

// A dataset x, and what stands behind its header.
constexpr uint64_t kDataset = kRoot + 72;

std::string integer(uint64_t bytes) {
  return number(0x10 | 1 << 11, 4) + number(bytes, 4) + number(0, 2) +
         number(8 * bytes, 2);
}

// A text of variable length, which the dataset says to be there, in a heap.
struct HeapText {
  uint64_t bytes = 5;
  uint64_t index = 2;
  // The heap: the bytes that it says to have, and its objects.
  uint64_t heap_bytes = 16 + 24 + 24;
  std::string objects = object(1, "other") + object(2, "hello");

  static std::string object(uint64_t index, std::string text) {
    const size_t bytes = text.size();
    text.resize((bytes + 7) / 8 * 8, '\0');
    return number(index, 2) + number(1, 2) + number(0, 4) + number(bytes, 8) +
           text;
  }
  std::string file() const {
    const auto dataset = [&](uint64_t heap) {
      return header(
          message(1, number(1, 1) + number(0, 7)) +
          message(3, number(0x19 | 1 << 8, 4) + number(16, 4) + integer(1)) +
          message(8, number(3, 1) + number(0, 1) + number(16, 2) +
                         number(bytes, 4) + number(heap, 8) +
                         number(index, 4)));
    };
    const std::string root = header(link_to("x", kDataset));
    return handmade::file(root + dataset(kDataset + dataset(0).size()) +
                          "GCOL" + number(1, 1) + number(0, 3) +
                          number(heap_bytes, 8) + objects);
  }
};

TEST_F(HeapsTest, TextIsFoundInTheGlobalHeap) {
  EXPECT_EQ(std::get<std::string>(*read(HeapText{}.file())), "hello");
  EXPECT_EQ(std::get<std::string>(*read(HeapText{.bytes = 4}.file())), "hell");
  EXPECT_EQ(std::get<std::string>(*read(HeapText{.bytes = 0}.file())), "");
}

TEST_F(HeapsTest, TextThatIsNotInTheGlobalHeapIsRefused) {
  const auto expect_none = [&](HeapText text) {
    text.index = 3;
    expect_refusal(text.file(), "expected object 3, got none");
  };
  expect_none({});
  // Free space of two kinds, and too little of it for another object.
  expect_none({.heap_bytes = 16 + 24 + 24 + 16,
               .objects = HeapText{}.objects + number(0, 16)});
  expect_none({.heap_bytes = 16 + 24 + 24 + 8,
               .objects = HeapText{}.objects + number(0, 8)});
  expect_refusal(HeapText{.bytes = 6}.file(), "expected 6 bytes, got 5");
  expect_refusal(HeapText{.heap_bytes = 16 + 24 + 20}.file(),
                 "expected an object in its heap, got 5 bytes");
  expect_refusal(HeapText{.heap_bytes = 1 << 20}.file(),
                 "expected a heap in the file, got 1048576 bytes");
}

// A dataset of two int16 in chunks of one, with an array as index.
std::string chunked(uint64_t index, const std::string& parameters,
                    uint64_t largest, const std::string& structures) {
  const auto dataset = [&](uint64_t address) {
    return header(message(1, number(1, 1) + number(1, 1) + number(1, 6) +
                                 number(2, 8) + number(largest, 8)) +
                  message(3, integer(2)) +
                  message(8, number(4, 1) + number(2, 1) + number(0, 1) +
                                 number(2, 1) + number(1, 1) + number(1, 1) +
                                 number(2, 1) + number(index, 1) + parameters +
                                 number(address, 8)));
  };
  const std::string root = header(link_to("x", kDataset));
  return handmade::file(root + dataset(kDataset + dataset(0).size()) +
                        structures);
}
constexpr uint64_t kFixedArray = 3;
constexpr uint64_t kExtensibleArray = 4;

TEST_F(HeapsTest, ArraysOfChunksMayHaveNoBlocks) {
  const std::string fixed =
      with_sum("FAHD" + number(0, 2) + number(8, 1) + number(10, 1) +
               number(2, 8) + number(kNone, 8));
  expect_refusal(chunked(kFixedArray, number(10, 1), 2, fixed),
                 "damaged chunk: expected 2 of them in the file, got 0");
  const std::string extensible =
      with_sum("EAHD" + number(0, 2) + number(8, 1) + number(32, 1) +
               number(4, 1) + number(16, 1) + number(4, 1) + number(10, 1) +
               std::string(48, '\0') + number(kNone, 8));
  expect_refusal(chunked(kExtensibleArray, number(0, 5), kNone, extensible),
                 "damaged chunk: expected 2 of them in the file, got 0");
}

// Blocks that the index block leads to have no bits for their pages.
TEST_F(HeapsTest, BlocksOfTheIndexHaveNoPages) {
  const auto array = [](uint64_t header_at) {
    const auto header_to = [](uint64_t index) {
      return with_sum("EAHD" + number(0, 2) + number(8, 1) + number(2, 1) +
                      number(0, 1) + number(2, 1) + number(2, 1) +
                      number(0, 1) + std::string(48, '\0') + number(index, 8));
    };
    const uint64_t index_at = header_at + header_to(0).size();
    const auto index_to = [&](uint64_t block) {
      return with_sum("EAIB" + number(0, 2) + number(header_at, 8) +
                      number(block, 8) + number(kNone, 8));
    };
    const uint64_t block_at = index_at + index_to(0).size();
    return header_to(index_at) + index_to(block_at) +
           with_sum("EADB" + number(0, 2) + number(header_at, 8) +
                    number(0, 1));
  };
  const auto file = [&](uint64_t at) {
    return chunked(kExtensibleArray, number(0, 5), kNone, array(at));
  };
  const uint64_t at = file(0).size() - array(0).size();
  expect_refusal(file(at), "expected a block without pages, got pages");
}

}  // namespace
}  // namespace catena::serializers
