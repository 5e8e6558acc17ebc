// Hdf5Reader refuses damaged files: whatever their bytes are, it returns values
// or throws an IoError.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/core/error.h"
#include "catena/serializers/hdf5_checksums.h"
#include "catena/serializers/hdf5_library.h"
#include "catena/serializers/hdf5_reader.h"
#include "catena/serializers/testing/hdf5_handmade.h"
#include "catena/serializers/testing/hdf5_mend.h"
#include "catena/serializers/testing/hdf5_sample.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::serializers {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::read_file;
using ::catena::testing::TempFolder;
using ::catena::testing::write_file;
using handmade::file;
using handmade::header;
using handmade::kNone;
using handmade::kRoot;
using handmade::message;
using handmade::number;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr LoadLimits kSmall = {.total_bytes = 1 << 22, .array_bytes = 1 << 20};

class HostileTest : public ::testing::Test {
 protected:
  std::string path() const { return folder_.file("hostile.h5"); }

  // What each key has in the file: its values, or "error".
  std::vector<std::string> outcomes(const std::vector<std::string>& keys) {
    std::vector<std::string> result(keys.size(), "error");
    try {
      const Hdf5Reader reader(path(), kSmall);
      for (size_t i = 0; i < keys.size(); ++i) {
        try {
          result[i] = values(reader.read(keys[i]));
        } catch (const IoError& error) {
          EXPECT_THAT(error.what(), HasSubstr("hostile.h5"));
        }
      }
    } catch (const IoError& error) {
      EXPECT_THAT(error.what(), HasSubstr("hostile.h5"));
    }
    return result;
  }

  // As outcomes, while the file has other bytes at `at`.
  std::vector<std::string> outcomes_with(size_t at, std::string_view bytes,
                                         std::string_view whole,
                                         const std::vector<std::string>& keys) {
    std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
    const auto put = [&](std::string_view text) {
      file.seekp(static_cast<std::streamoff>(at));
      file.write(text.data(), static_cast<std::streamsize>(text.size()));
      file.flush();
    };
    put(bytes);
    const auto result = outcomes(keys);
    put(whole.substr(at, bytes.size()));
    return result;
  }

  static std::string values(const std::optional<SerializedValue>& entry) {
    if (!entry) return "missing";
    if (const auto* text = std::get_if<std::string>(&*entry)) return *text;
    const auto* array = std::get_if<Array>(&*entry);
    if (array == nullptr) return "none";
    return to_string(array->dtype()) + to_string(array->shape()) +
           std::string(array->raw_data(), static_cast<size_t>(array->nbytes()));
  }

  void expect_refusal(const std::string& bytes, const std::string& message,
                      const std::string& key = "x") {
    write_file(path(), bytes);
    EXPECT_THAT(
        error_of<IoError>([&] { Hdf5Reader(path(), kSmall).read(key); }),
        AllOf(HasSubstr("hostile.h5"), HasSubstr(message)));
  }

  // The file with the checksums of what was changed in it.
  static std::string mended(std::string whole, std::string changed) {
    const auto as_bytes = [](std::string& text) {
      return std::span(reinterpret_cast<uint8_t*>(text.data()), text.size());
    };
    Hdf5Structures(as_bytes(whole)).mend(as_bytes(changed));
    return changed;
  }

  TempFolder folder_;
};

// Small files in every version of the format.
class DamagedHdf5Test : public HostileTest,
                        public ::testing::WithParamInterface<H5F_libver_t> {
 protected:
  DamagedHdf5Test() {
    Hdf5Sample file(path(), {.version = GetParam()});
    file.add("group/numbers", H5T_STD_I16LE, {4});
    file.add("chunks", H5T_STD_I16LE, {8},
             {.layout = H5D_CHUNKED,
              .chunk = {4},
              .filters = {H5Z_FILTER_DEFLATE, H5Z_FILTER_FLETCHER32}});
    const Hdf5Handle type = hdf5::text_type(3);
    Hdf5Sample::write(
        file.create("text", type.id(), {}, {.layout = H5D_COMPACT}), type.id(),
        "abc");
    file.close();
    bytes_ = read_file(path());
    whole_ = outcomes(kKeys);
  }

  const std::vector<std::string> kKeys = {"group/numbers", "chunks", "text"};
  std::string bytes_;
  std::vector<std::string> whole_;
};

INSTANTIATE_TEST_SUITE_P(All, DamagedHdf5Test,
                         ::testing::Values(H5F_LIBVER_EARLIEST, H5F_LIBVER_V18,
                                           H5F_LIBVER_LATEST));

TEST_P(DamagedHdf5Test, WholeFilesAreRead) {
  EXPECT_EQ(whole_[0].substr(0, 9), "int16(4,)");
  EXPECT_EQ(whole_[1].substr(0, 9), "int16(8,)");
  EXPECT_EQ(whole_[2], "abc");
}

TEST_P(DamagedHdf5Test, NoByteMakesMoreThanAnError) {
  for (size_t i = 0; i < bytes_.size(); ++i) {
    for (const char byte :
         {'\0', '\xff', static_cast<char>(bytes_[i] ^ '\x80')}) {
      if (byte != bytes_[i]) outcomes_with(i, {&byte, 1}, bytes_, kKeys);
    }
  }
}

TEST_P(DamagedHdf5Test, NoAddressOrLengthMakesMoreThanAnError) {
  const uint64_t size = bytes_.size();
  for (size_t i = 0; i + 8 <= size; i += 8) {
    for (const uint64_t value :
         {uint64_t{8}, size - 1, size, uint64_t{1} << 32, uint64_t{1} << 63,
          UINT64_MAX - 8, UINT64_MAX}) {
      outcomes_with(i, number(value, 8), bytes_, kKeys);
    }
  }
}

TEST_P(DamagedHdf5Test, FilesThatAreCutShortAreRefused) {
  const std::vector<std::string> refused(kKeys.size(), "error");
  for (size_t size = bytes_.size(); size-- > 0;) {
    std::filesystem::resize_file(path(), size);
    ASSERT_EQ(outcomes(kKeys), refused) << size;
  }
}

// Every structure of the newer versions: what the checksums protect is wrong,
// too.
TEST_P(DamagedHdf5Test, NoByteWithARightChecksumMakesMoreThanAnError) {
  if (GetParam() == H5F_LIBVER_EARLIEST) return;  // has no checksums
  constexpr int kDatasets = 12;  // more than a group holds in its header
  {
    Hdf5Sample file(path(), {.version = GetParam()});
    for (int i = 0; i < kDatasets; ++i) {
      file.add("group/x" + std::to_string(i), H5T_STD_I16LE, {2});
    }
    const auto add = [&](const std::string& key, const Extents& max_shape,
                         const std::vector<H5Z_filter_t>& filters) {
      file.add(key, H5T_STD_I16LE, {3, 4},
               {.layout = H5D_CHUNKED,
                .chunk = {1, 2},
                .max_shape = max_shape,
                .filters = filters});
    };
    add("fixed", {}, {});
    add("filtered", {}, {H5Z_FILTER_FLETCHER32});
    add("extensible", {H5S_UNLIMITED, 4}, {});
    add("tree", {H5S_UNLIMITED, H5S_UNLIMITED}, {H5Z_FILTER_SHUFFLE});
  }
  const std::vector<std::string> keys = {"group/x7", "fixed", "filtered",
                                         "extensible", "tree"};
  const std::string whole = read_file(path());
  const auto as_bytes = [](std::string& text) {
    return std::span(reinterpret_cast<uint8_t*>(text.data()), text.size());
  };
  std::string bytes = whole;
  const Hdf5Structures structures(as_bytes(bytes));
  EXPECT_GE(structures.size(), GetParam() == H5F_LIBVER_LATEST ? 20 : 8);
  structures.mend(as_bytes(bytes));
  ASSERT_EQ(bytes, whole) << "all checksums were right";
  int passed = 0;
  for (size_t i = 0; i < whole.size(); ++i) {
    for (const char byte : {'\0', '\xff', static_cast<char>(whole[i] ^ 1)}) {
      if (byte == whole[i]) continue;
      std::string changed = whole;
      changed[i] = byte;
      std::string mended = changed;
      structures.mend(as_bytes(mended));
      // Data, or the checksum itself.
      if (mended == changed || mended == whole) continue;
      write_file(path(), mended);
      outcomes(keys);
      ++passed;
    }
  }
  EXPECT_GT(passed, 1000);
}

// The latest version has checksums of everything but data.
TEST_F(HostileTest, EachBitThatChangesIsNoticedOrWithoutEffect) {
  const std::vector<std::string> keys = {"x", "y"};
  {
    Hdf5Sample file(path(), {.version = H5F_LIBVER_LATEST});
    file.add("x", H5T_STD_I16LE, {4}, {.layout = H5D_COMPACT});
    file.add("y", H5T_STD_I16LE, {4},
             {.layout = H5D_CHUNKED,
              .chunk = {2},
              .filters = {H5Z_FILTER_FLETCHER32}});
  }
  const std::string bytes = read_file(path());
  const std::vector<std::string> whole = outcomes(keys);
  int refused = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      const auto changed = static_cast<char>(bytes[i] ^ 1 << bit);
      const auto outcome = outcomes_with(i, {&changed, 1}, bytes, keys);
      for (size_t key = 0; key < keys.size(); ++key) {
        refused += outcome[key] == "error";
        ASSERT_TRUE(outcome[key] == "error" || outcome[key] == whole[key])
            << keys[key] << ", bit " << bit << " of byte " << i;
      }
    }
  }
  EXPECT_GT(refused, static_cast<int>(bytes.size()));
}

// A field of a structure, changed together with its checksum.
struct Change {
  std::string name;
  std::string key;
  std::string signature;
  size_t offset;
  size_t bytes;
  uint64_t value;
  // Where the checksum is.
  size_t checksum;
  std::string message;
};
std::ostream& operator<<(std::ostream& os, const Change& change) {
  return os << change.name;
}

class ChangedStructureTest : public HostileTest,
                             public ::testing::WithParamInterface<Change> {};

TEST_P(ChangedStructureTest, IsRefused) {
  constexpr hsize_t kAny = H5S_UNLIMITED;
  {
    Hdf5Sample file(path(), {.version = H5F_LIBVER_LATEST});
    const std::string& key = GetParam().key;
    if (key == "fixed") {
      file.add(key, H5T_STD_I16LE, {40}, {.layout = H5D_CHUNKED, .chunk = {2}});
    } else if (key == "extensible") {
      file.add(key, H5T_STD_I16LE, {400},
               {.layout = H5D_CHUNKED, .chunk = {1}, .max_shape = {kAny}});
    } else if (key == "tree") {
      file.add(
          key, H5T_STD_I16LE, {40, 40},
          {.layout = H5D_CHUNKED, .chunk = {1, 1}, .max_shape = {kAny, kAny}});
    } else {
      for (int i = 0; i < 900; ++i) {
        file.create("links/x" + std::to_string(i), H5T_STD_I16LE, {});
      }
    }
  }
  std::string bytes = read_file(path());
  const auto& [name, key, signature, offset, size, value, checksum, message] =
      GetParam();
  const std::string entry = key == "links" ? "links/x1" : key;
  EXPECT_NO_THROW(Hdf5Reader(path()).read(entry));
  const size_t begin = bytes.find(signature);
  ASSERT_NE(begin, std::string::npos);
  // Clang 14 captures no bindings.
  const size_t sum_at = checksum;
  const auto sum = [&] {
    return number(hdf5::lookup3(std::string_view(bytes).substr(begin, sum_at)),
                  4);
  };
  ASSERT_EQ(bytes.substr(begin + checksum, 4), sum());
  bytes.replace(begin + offset, size, number(value, size));
  bytes.replace(begin + checksum, 4, sum());
  expect_refusal(bytes, message, entry);
}

INSTANTIATE_TEST_SUITE_P(
    All, ChangedStructureTest,
    ::testing::ValuesIn(std::vector<Change>{
        {"ManyElements", "fixed", "FAHD", 8, 8, uint64_t{1} << 60, 24,
         "more bytes"},
        {"FewElements", "fixed", "FAHD", 8, 8, 7, 24, "checksum"},
        {"LargeElements", "fixed", "FAHD", 6, 1, 255, 24,
         "the address and size of a chunk"},
        {"LargePages", "fixed", "FAHD", 7, 1, 255, 24, "pages of at most"},
        {"SmallPages", "fixed", "FAHD", 7, 1, 0, 24, "checksum"},
        {"OtherPurpose", "fixed", "FAHD", 5, 1, 1, 24, "purpose 0"},
        {"DataInTheHeader", "fixed", "FAHD", 16, 8, 48, 24, "FADB"},
        {"ManyBits", "extensible", "EAHD", 7, 1, 255, 68, "powers of two"},
        {"FewBits", "extensible", "EAHD", 7, 1, 0, 68, "checksum"},
        {"ManyIndexElements", "extensible", "EAHD", 8, 1, 255, 68, "got"},
        {"UnevenBlocks", "extensible", "EAHD", 9, 1, 3, 68, "powers of two"},
        {"NoPointers", "extensible", "EAHD", 10, 1, 0, 68, "powers of two"},
        {"ManyPointers", "extensible", "EAHD", 10, 1, 128, 68, "checksum"},
        {"FewElementsSet", "extensible", "EAHD", 44, 8, 7, 68,
         "no chunks from element 7 on"},
        {"ExtensiblePages", "extensible", "EAHD", 11, 1, 33, 68,
         "pages of at most"},
        {"ElementPages", "extensible", "EAHD", 11, 1, 0, 68, "got"},
        {"IndexInTheHeader", "extensible", "EAHD", 60, 8, 48, 68, "EAIB"},
        {"LargeNodes", "tree", "BTHD", 6, 4, UINT32_MAX, 34, "got"},
        {"EmptyNodes", "tree", "BTHD", 6, 4, 0, 34, "depth"},
        {"EmptyRecords", "tree", "BTHD", 10, 2, 0, 34, "records of at least"},
        {"LargeRecords", "tree", "BTHD", 10, 2, UINT16_MAX, 34, "depth"},
        {"DeepTree", "tree", "BTHD", 12, 2, UINT16_MAX, 34, "depth"},
        {"FlatTree", "tree", "BTHD", 12, 2, 0, 34, "BTLF"},
        {"RootInTheHeader", "tree", "BTHD", 16, 8, 48, 34, "BTIN"},
        {"ManyRecords", "tree", "BTHD", 24, 2, UINT16_MAX, 34, "at most"},
        {"OtherTree", "tree", "BTHD", 5, 1, 5, 34, "type 10"},
        {"LongIds", "links", "FRHP", 5, 2, UINT16_MAX, 142, "more bytes"},
        {"ShortIds", "links", "FRHP", 5, 2, 1, 142, "more bytes"},
        {"FilteredHeap", "links", "FRHP", 7, 2, 9, 142, "without filters"},
        {"NoColumns", "links", "FRHP", 110, 2, 0, 142, "powers of two"},
        {"ManyColumns", "links", "FRHP", 110, 2, 1 << 15, 142, "got"},
        {"NoBlocks", "links", "FRHP", 112, 8, 0, 142, "powers of two"},
        {"LargeBlocks", "links", "FRHP", 112, 8, uint64_t{1} << 63, 142,
         "powers of two"},
        {"UnevenLargestBlocks", "links", "FRHP", 120, 8, 3, 142,
         "powers of two"},
        {"HugeHeap", "links", "FRHP", 128, 2, UINT16_MAX, 142, "rows"},
        {"SmallHeap", "links", "FRHP", 128, 2, 1, 142, "rows"},
        {"RootOfHeapInTheHeader", "links", "FRHP", 132, 8, 48, 142, "FH"},
        {"ManyRows", "links", "FRHP", 140, 2, UINT16_MAX, 142, "rows"},
        {"NoRows", "links", "FRHP", 140, 2, 0, 142, "FHDB"},
    }),
    [](const auto& info) { return info.param.name; });

// A file whose root group is followed by other structures.
class HandmadeTest : public HostileTest {
 protected:
  // Nodes with twice as many links and children.
  static std::string with_sizes(std::string bytes, uint64_t links,
                                uint64_t children) {
    return bytes.replace(16, 4, number(links, 2) + number(children, 2));
  }
  // A group whose header is followed by its tree and its heap.
  static constexpr uint64_t kTree = kRoot + 16 + 24;
  static std::string group(uint64_t heap, const std::string& rest) {
    return file(header(message(0x11, number(kTree, 8) + number(heap, 8))) +
                rest);
  }
  static std::string tree_node(int level,
                               const std::vector<uint64_t>& children) {
    std::string node =
        "TREE" + number(0, 1) + number(static_cast<uint64_t>(level), 1) +
        number(children.size(), 2) + number(kNone, 8) + number(kNone, 8);
    for (const uint64_t child : children) {
      node += number(0, 8) + number(child, 8);
    }
    return node + number(0, 8);
  }
  static std::string heap(uint64_t bytes, uint64_t data) {
    return "HEAP" + number(0, 4) + number(bytes, 8) + number(1, 8) +
           number(data, 8);
  }
  static constexpr uint64_t kHeapBytes = 32;

  // A group whose tree has one node.
  struct Names {
    std::vector<std::string> names = {"a", "b"};
    // The places in `names` of the first and the last key; -1 is before them.
    int first = -1;
    int last = 1;
    uint64_t kind = 0;
    uint64_t free = 1;
    std::string free_place = {};
  };
  static std::string group_of(const Names& group_names) {
    const auto& names = group_names.names;
    // The name at 0 has no characters.
    const auto place = [](int i) {
      return number(8 * static_cast<uint64_t>(i + 1), 8);
    };
    std::string tree = tree_node(0, {kTree + 24 + 16 + 8});
    tree.replace(24, 8, place(group_names.first));
    tree.replace(24 + 16, 8, place(group_names.last));
    std::string node = "SNOD" + number(1, 2) + number(names.size(), 2);
    std::string data(8, '\0');
    for (size_t i = 0; i < names.size(); ++i) {
      node += place(static_cast<int>(i)) + number(kRoot, 8) +
              number(group_names.kind, 4) + number(0, 20);
      data += names[i] + std::string(8 - names[i].size(), '\0');
    }
    data += group_names.free_place;
    const uint64_t at = kTree + tree.size() + node.size();
    std::string local = heap(data.size(), at + kHeapBytes);
    local.replace(16, 8, number(group_names.free, 8));
    return group(at, tree + node + local + data);
  }
};

// libhdf5 refuses the same, or does not find what is there.
TEST_F(HandmadeTest, NamesThatLookingUpWouldMissAreRefused) {
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

TEST_F(HandmadeTest, NodesWithoutRoomAreRefused) {
  const std::string good = group_of({.names = {"a", "b"}});
  write_file(path(), with_sizes(good, 1, 2));
  EXPECT_FALSE(Hdf5Reader(path()).read("x").has_value());
  expect_refusal(with_sizes(good, 4, 1), "a node with room for 8 links");
  expect_refusal(with_sizes(good, 1, 99), "a node of 3200 bytes");
  expect_refusal(group_of({.names = {"a", "b", "c"}, .last = 2}),
                 "room for 2 links");
}

TEST_F(HandmadeTest, FreePlacesBeyondTheHeapAreRefused) {
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

TEST_F(HandmadeTest, SuperblocksOfOtherValuesAreRefused) {
  const std::string good = group_of({});
  for (const auto& [at, value, message] :
       std::vector<std::tuple<size_t, char, std::string>>{
           {9, 1, "version 0"},
           {10, 1, "version 0"},
           {12, 1, "version 0"},
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

TEST_F(HandmadeTest, MessagesOfOtherFlagsOrLengthsAreRefused) {
  const auto with = [](int flags, uint64_t bytes) {
    std::string messages = message(0x11, number(0, 16)) + number(0, 2) +
                           number(bytes, 2) + number(0, 4) +
                           std::string(bytes, '\0');
    messages[4] = static_cast<char>(flags);
    return file(header(messages));
  };
  expect_refusal(with(0, 8), "local heap");
  for (const int flags : {0x06, 0x20, 0x38}) {
    expect_refusal(with(flags, 8), "flags of a message that go together");
  }
  for (const int flags : {0x02, 0x40}) {
    expect_refusal(with(flags, 8), "a message that may be shared");
  }
  expect_refusal(with(0, 4), "a multiple of 8 bytes");
}

TEST_F(HandmadeTest, ReferencesOfOtherVersionsAreRefused) {
  expect_refusal(file(header(message(0x16, number(1, 8)))), "version 0");
}

TEST_F(HandmadeTest, HeadersOfOtherLengthsAreRefused) {
  std::string bytes = group_of({});
  bytes[kRoot + 2] = 0;  // the number of messages
  expect_refusal(bytes, "room for 0 messages");
  bytes = group_of({});
  bytes.replace(kRoot + 8, 4, number(7, 4));
  expect_refusal(bytes, "room for 1 messages");
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

TEST_F(HandmadeTest, LinksWithoutANameOrOfAnotherLengthAreRefused) {
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

TEST_F(HostileTest, DatatypesOfOtherVersionsAreRefused) {
  {
    Hdf5Sample file(path());
    file.add("x", H5T_STD_I16LE, {4});
  }
  const std::string good = read_file(path());
  const size_t at = good.find(std::string("\x10\x08\0\0\2\0\0\0", 8));
  ASSERT_NE(at, std::string::npos);
  for (const char head : {'\x00', '\x60', '\xf0'}) {
    std::string bytes = good;
    bytes[at] = head;
    expect_refusal(bytes, "expected version 1 to 5");
  }
}

TEST_F(HandmadeTest, AnEmptyGroupIsRead) {
  const std::string tree = tree_node(0, {});
  const uint64_t at = kTree + tree.size();
  write_file(path(), group(at, tree + heap(8, at + kHeapBytes) + number(0, 8)));
  EXPECT_FALSE(Hdf5Reader(path()).read("x").has_value());
}

TEST_F(HandmadeTest, ContinuationsThatGoInCirclesAreRefused) {
  const uint64_t next = kRoot + 16 + 24;
  const std::string to_next = message(0x10, number(next, 8) + number(24, 8));
  expect_refusal(file(header(to_next) + to_next), "a cycle");
}

// Each block reaches to the end of the file, and has all the blocks after it.
TEST_F(HandmadeTest, ContinuationsThatOverlapAreRefused) {
  constexpr uint64_t kBlocks = 40'000;
  const uint64_t end = kRoot + 16 + 24 * (kBlocks + 2);
  std::string messages;
  for (uint64_t i = 0; i <= kBlocks; ++i) {
    const uint64_t next = kRoot + 16 + 24 * (i + 1);
    messages += message(0x10, number(next, 8) + number(end - next, 8));
  }
  messages += message(0, std::string(16, '\0'));  // of no meaning
  std::string bytes = file(header(messages));
  bytes.replace(kRoot + 8, 4, number(24, 4));  // only the first is in it
  expect_refusal(bytes, "one that was there before");
}

TEST_F(HandmadeTest, TreesThatGoInCirclesAreRefused) {
  const std::string tree = tree_node(1, {kTree});
  const uint64_t at = kTree + tree.size();
  expect_refusal(group(at, tree + heap(8, at + kHeapBytes) + number(0, 8)),
                 "level 0");
}

TEST_F(HandmadeTest, TreesWhoseNodesAreOneAreRefused) {
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
TEST_F(HandmadeTest, NamesThatOverlapAreRefused) {
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

TEST_F(HandmadeTest, HeapsBeyondTheFileAreRefused) {
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

// libhdf5 keeps what it knows of a file apart from what it knows of objects.
TEST_F(HostileTest, ObjectsThatAreTheSuperblocksExtensionAreRefused) {
  {
    Hdf5Sample file(path(), {.version = H5F_LIBVER_LATEST});
    file.add("x", H5T_STD_I16LE, {4});
    const Hdf5Handle type(H5Tcopy(H5T_STD_I16LE), H5Tclose);
    H5Tcommit2(file.id(), "type", type.id(), H5P_DEFAULT, H5P_DEFAULT,
               H5P_DEFAULT);
    file.create("y", type.id(), {4});
  }
  const std::string whole = read_file(path());
  constexpr size_t kExtension = 20;
  ASSERT_EQ(whole.substr(kExtension, 8), number(kNone, 8));
  const auto with_extension = [&](uint64_t address) {
    std::string bytes = whole;
    bytes.replace(kExtension, 8, number(address, 8));
    return mended(whole, bytes);
  };
  const std::vector<std::string> keys = {"x", "y"};
  EXPECT_THAT(outcomes(keys), Not(Contains("error")));
  int headers = 0;
  for (size_t at = whole.find("OHDR"); at != std::string::npos;
       at = whole.find("OHDR", at + 1)) {
    write_file(path(), with_extension(at));
    EXPECT_THAT(outcomes(keys), Contains("error")) << at;
    ++headers;
  }
  EXPECT_EQ(headers, 4);  // the root group and the type have one, too
  const std::string message = "expected an object, got the superblock's exten";
  const size_t root = whole.find("OHDR");
  expect_refusal(with_extension(root), message);
  expect_refusal(with_extension(whole.find("OHDR", root + 1)), message);
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
