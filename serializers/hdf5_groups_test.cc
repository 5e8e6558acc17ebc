// Groups, their links, and the trees and heaps that these are in.

#include "catena/serializers/hdf5_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
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
using handmade::file;
using handmade::group;
using handmade::group_of;
using handmade::header;
using handmade::heap;
using handmade::kHeapBytes;
using handmade::kNone;
using handmade::kRoot;
using handmade::kTree;
using handmade::message;
using handmade::number;
using handmade::tree_node;
using handmade::with_sizes;
using ::testing::HasSubstr;

TEST_F(HandmadeDatasetTest, KeysThatNameNothingAreMissing) {
  value({});
  const Hdf5Reader reader(path());
  for (const std::string& key :
       {std::string(), std::string("/x"), std::string("x/"), std::string("."),
        std::string("../x"), std::string("x\0", 2), std::string("y")}) {
    EXPECT_FALSE(reader.read(key).has_value()) << key;
  }
}

TEST_F(HandmadeDatasetTest, ADatasetThatMayHaveLinksIsAGroup) {
  const std::string no_links =
      number(0, 2) + number(kNone, 8) + number(kNone, 8);
  expect_refusal({.more = message(2, no_links)},
                 "expected a dataset, got a group");
  expect_refusal({.more = message(0x11, number(0, 16))},
                 "expected a dataset, got a group");
}

// libhdf5 refuses the same, or does not find what is there.
TEST_F(HostileTest, NamesThatLookingUpWouldMissAreRefused) {
  write_file(path(), group_of({}));
  EXPECT_FALSE(Hdf5Reader(path()).read("x").has_value());
  EXPECT_THAT(error_of<IoError>([&] { Hdf5Reader(path()).read("a"); }),
              HasSubstr("got a group"));
  expect_refusal(group_of({.names = {"b", "a"}}), "names in order");
  expect_refusal(group_of({.names = {"a", "a"}}), "names in order");
  expect_refusal(group_of({.first = 0}), "names in order");
  expect_refusal(group_of({.last = 0}), "names in order");
  expect_refusal(group_of({.first = 99}), "a name at 800 that ends");
  expect_refusal(group_of({.kind = 3}), "a link of kind 0 to 2");
}

TEST_F(HostileTest, NodesWithoutRoomAreRefused) {
  const std::string good = group_of({.names = {"a", "b"}});
  write_file(path(), with_sizes(good, 1, 2));
  EXPECT_FALSE(Hdf5Reader(path()).read("x").has_value());
  expect_refusal(with_sizes(good, 4, 1), "a node with room for 8 links");
  expect_refusal(with_sizes(good, 1, 99), "a node of 3200 bytes");
  expect_refusal(group_of({.names = {"a", "b", "c"}, .last = 2}),
                 "room for 2 links");
}

TEST_F(HostileTest, FreePlacesBeyondTheHeapAreRefused) {
  const auto with = [](uint64_t at, uint64_t next, uint64_t size) {
    return group_of(
        {.free = at, .free_place = number(next, 8) + number(size, 8)});
  };
  write_file(path(), with(24, 1, 16));
  EXPECT_FALSE(Hdf5Reader(path()).read("x").has_value());
  for (const auto& [at, next, size] :
       std::vector<std::array<uint64_t, 3>>{{32, 1, 16},
                                            {UINT64_MAX, 1, 16},
                                            {24, 1, 17},
                                            {24, 1, 15},
                                            {24, 0, 16},
                                            {24, 24, 16},
                                            {24, 1, UINT64_MAX}}) {
    expect_refusal(with(at, next, size), "free places");
  }
}

TEST_F(HostileTest, LinksWithoutANameOrOfAnotherLengthAreRefused) {
  const std::string info = message(
      0x02, number(0, 2) + number(kNone, 8) + number(kNone, 8) + number(0, 6));
  const auto with = [&](const std::string& link) {
    return file(header(info + message(0x06, link)));
  };
  write_file(path(), with(number(1, 2) + number(1, 1) + "a" + number(kRoot, 8) +
                          number(0, 4)));
  EXPECT_FALSE(Hdf5Reader(path()).read("x").has_value());
  expect_refusal(
      with(number(1, 2) + number(0, 1) + number(kRoot, 8) + number(0, 5)),
      "expected a name, got none");
  expect_refusal(with(number(1, 2) + number(3, 1) + std::string("a\0b", 3) +
                      number(kRoot, 8)),
                 "expected a name of 3 characters, got a zero behind 1");
  expect_refusal(with(number(1, 2) + number(200, 1) + "a" + number(kRoot, 8)),
                 "expected 200 more bytes, got 13");
  expect_refusal(with(number(0x2001, 2) + number(0, 14)), "flags up to 31");
  const auto typed = [&](uint64_t type, const std::string& rest) {
    return with(number(0x801, 2) + number(type, 1) + number(1, 1) + "a" + rest);
  };
  write_file(path(), typed(1, number(1, 2) + "b" + number(0, 8)));
  EXPECT_FALSE(Hdf5Reader(path()).read("x").has_value());
  expect_refusal(typed(2, number(0, 11)), "a link of type 0, 1 or above 63");
  expect_refusal(typed(1, number(0, 11)), "expected a path, got none");
  expect_refusal(typed(64, number(99, 11)), "99 more bytes");
  expect_refusal(with(number(0x1001, 2) + number(2, 1) + number(1, 1) + "a" +
                      number(kRoot, 8) + number(0, 3)),
                 "a name in encoding 0 or 1");
}

TEST_F(HostileTest, LinksWhoseHashIsAnotherAreRefused) {
  {
    Hdf5Sample file(path(), {.version = H5F_LIBVER_LATEST});
    for (int i = 0; i < 20; ++i) {
      file.create(str("name", i), H5T_STD_I16LE, {});
    }
  }
  EXPECT_TRUE(Hdf5Reader(path()).read("name7").has_value());
  const std::string whole = read_file(path());
  std::string bytes = whole;
  bytes[bytes.find("name7")] = 'g';
  expect_refusal(mended(whole, bytes), "names in the order of their hashes",
                 "game7");
}

TEST_F(HostileTest, LinksInAnotherOrderThanTheirHashesAreRefused) {
  {
    Hdf5Sample file(path(), {.version = H5F_LIBVER_LATEST});
    for (int i = 0; i < 20; ++i) {
      file.create(str("name", i), H5T_STD_I16LE, {});
    }
  }
  const std::string whole = read_file(path());
  std::string bytes = whole;
  // A hash and the place of a link in the heap.
  constexpr size_t kLeafHead = 6, kRecord = 4 + 7;
  const size_t first = bytes.find("BTLF") + kLeafHead;
  std::swap_ranges(bytes.begin() + static_cast<int64_t>(first),
                   bytes.begin() + static_cast<int64_t>(first + kRecord),
                   bytes.begin() + static_cast<int64_t>(first + kRecord));
  expect_refusal(mended(whole, bytes), "names in the order of their hashes",
                 "name7");
}

TEST_F(HostileTest, LinksWithTheirOrderAreRead) {
  const std::string info = message(
      0x02, number(0, 2) + number(kNone, 8) + number(kNone, 8) + number(0, 6));
  constexpr uint64_t kHasOrder = 4;
  write_file(
      path(),
      file(header(info + message(0x06, number(1, 1) + number(kHasOrder, 1) +
                                           number(7, 8) + number(1, 1) + "a" +
                                           number(kRoot, 8)))));
  EXPECT_THAT(error_of<IoError>([&] { Hdf5Reader(path()).read("a"); }),
              HasSubstr("expected a dataset, got a group"));
}

TEST_F(HostileTest, AnEmptyGroupIsRead) {
  const std::string tree = tree_node(0, {});
  const uint64_t at = kTree + tree.size();
  write_file(path(), group(at, tree + heap(8, at + kHeapBytes) + number(0, 8)));
  EXPECT_FALSE(Hdf5Reader(path()).read("x").has_value());
}

TEST_F(HostileTest, TreesThatGoInCirclesAreRefused) {
  const std::string tree = tree_node(1, {kTree});
  const uint64_t at = kTree + tree.size();
  expect_refusal(group(at, tree + heap(8, at + kHeapBytes) + number(0, 8)),
                 "level 0");
}

TEST_F(HostileTest, TreesWhoseNodesAreOneAreRefused) {
  const uint64_t leaf = kTree + 24 + 16 * 20'000 + 8;
  const std::string root = tree_node(1, std::vector<uint64_t>(20'000, leaf));
  const std::string leaf_node =
      tree_node(0, std::vector<uint64_t>(20'000, leaf));
  const uint64_t at = leaf + leaf_node.size();
  const std::string node = "SNOD" + number(1, 4) + std::string(80, '\0');
  expect_refusal(
      with_sizes(
          group(at, root + leaf_node + heap(8, at + kHeapBytes) + number(0, 8)),
          1, 10'000),
      "SNOD");
  // The leaf has a sound node.
  const uint64_t symbols = at + kHeapBytes + 8;
  expect_refusal(
      with_sizes(
          group(at, root +
                        tree_node(0, std::vector<uint64_t>(20'000, symbols)) +
                        heap(8, at + kHeapBytes) + number(0, 8) + node),
          1, 10'000),
      "overlap");
}

// A long name, and all links have its end.
TEST_F(HostileTest, NamesThatOverlapAreRefused) {
  constexpr uint64_t kName = 200'000;
  constexpr uint64_t kLinks = 20'000;
  std::string tree = tree_node(0, {kTree + 24 + 16 + 8});
  tree.replace(24, 8, number(kName, 8));  // the key before all names
  std::string node = "SNOD" + number(1, 2) + number(kLinks, 2);
  for (uint64_t i = 0; i < kLinks; ++i) {
    node += number(kLinks - 1 - i, 8) + number(kRoot, 8) + number(0, 24);
  }
  const uint64_t at = kTree + tree.size() + node.size();
  expect_refusal(
      with_sizes(group(at, tree + node + heap(kName + 1, at + kHeapBytes) +
                               std::string(kName, 'x') + '\0'),
                 kLinks / 2, 1),
      "names that fit in the heap together");
}

TEST_F(HostileTest, HeapsBeyondTheFileAreRefused) {
  const std::string tree = tree_node(0, {});
  const uint64_t at = kTree + tree.size();
  for (const uint64_t bytes : {uint64_t{9}, uint64_t{1} << 40, UINT64_MAX - 8,
                               UINT64_MAX - 1, UINT64_MAX}) {
    expect_refusal(
        group(at, tree + heap(bytes, at + kHeapBytes) + number(0, 8)),
        "more bytes");
  }
  for (const uint64_t data : {uint64_t{1} << 40, UINT64_MAX - 8, UINT64_MAX}) {
    expect_refusal(group(at, tree + heap(8, data) + number(0, 8)),
                   "an address in the file");
  }
}

}  // namespace
}  // namespace catena::serializers
