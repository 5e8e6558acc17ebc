// Hdf5Reader refuses damaged files: whatever their bytes are, it returns values
// or throws an IoError.

#include "catena/serializers/testing/hdf5_hostile.h"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/serializers/hdf5_checksums.h"
#include "catena/serializers/hdf5_library.h"
#include "catena/serializers/hdf5_reader.h"
#include "catena/serializers/testing/hdf5_handmade.h"
#include "catena/serializers/testing/hdf5_mend.h"
#include "catena/serializers/testing/hdf5_sample.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::serializers {
namespace {

using ::catena::testing::read_file;
using ::catena::testing::write_file;
using handmade::number;

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

}  // namespace
}  // namespace catena::serializers
