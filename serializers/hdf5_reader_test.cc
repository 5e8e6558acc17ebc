// Hdf5Reader reads what libhdf5 writes, in every version of the format.

#include "catena/serializers/hdf5_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/core/error.h"
#include "catena/array/io/crc32.h"
#include "catena/serializers/hdf5_checksums.h"
#include "catena/serializers/hdf5_library.h"
#include "catena/serializers/testing/hdf5_sample.h"
#include "catena/tests/support/runfiles.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::serializers {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::read_file;
using ::catena::testing::TempFolder;
using ::catena::testing::write_file;
using ::testing::HasSubstr;

constexpr hsize_t kAny = H5S_UNLIMITED;

// Adds the path of a link to a list.
herr_t add_path(hid_t, const char* path, const H5L_info_t*, void* paths) {
  static_cast<std::vector<std::string>*>(paths)->emplace_back(path);
  return 0;
}

// Files that Chainer saved through h5py.
TEST(Hdf5GoldenTest, EveryEntryIsReadAsByLibhdf5) {
  const std::string folder = "tests/golden/serializers/";
  int arrays = 0;
  for (const std::string& name : testing::runfile_names(folder, "", ".h5")) {
    SCOPED_TRACE(name);
    const std::string path = testing::runfile(folder + name);
    const Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT),
                          H5Fclose);
    std::vector<std::string> paths;
    H5Lvisit(file.id(), H5_INDEX_NAME, H5_ITER_NATIVE, add_path, &paths);
    const Hdf5Reader reader(path);
    for (const std::string& key : paths) {
      const Hdf5Handle object(H5Oopen(file.id(), key.c_str(), H5P_DEFAULT),
                              H5Oclose);
      if (H5Iget_type(object.id()) != H5I_DATASET) continue;
      const auto entry = reader.read(key);
      ASSERT_TRUE(entry.has_value()) << key;
      if (std::holds_alternative<Array>(*entry)) {
        expect_as_libhdf5(path, key);
        ++arrays;
      }
    }
  }
  EXPECT_GT(arrays, 100);
}

// The parameter is the oldest version that may be used.
class Hdf5VersionTest : public ::testing::TestWithParam<H5F_libver_t> {
 protected:
  std::string path() const { return folder_.file("sample.h5"); }
  Hdf5Sample sample() const { return Hdf5Sample(path(), options()); }
  static SampleOptions options() { return {.version = GetParam()}; }

  // A dataset "x" reads as by libhdf5.
  void expect_equal(hid_t type, const Extents& shape,
                    const SampleStorage& storage) {
    {
      Hdf5Sample file = sample();
      file.add("x", type, shape, storage);
    }
    expect_as_libhdf5(path(), "x");
  }

  TempFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(All, Hdf5VersionTest,
                         ::testing::Values(H5F_LIBVER_EARLIEST, H5F_LIBVER_V18,
                                           H5F_LIBVER_LATEST),
                         [](const auto& info) {
                           return info.param == H5F_LIBVER_EARLIEST ? "Earliest"
                                  : info.param == H5F_LIBVER_V18    ? "Hdf5_1_8"
                                                                    : "Latest";
                         });

TEST_P(Hdf5VersionTest, EveryLayoutIsRead) {
  Hdf5Sample file = sample();
  std::vector<std::string> keys;
  const auto add = [&](const Extents& shape, const SampleStorage& storage) {
    keys.push_back("x" + std::to_string(keys.size()));
    file.add(keys.back(), H5T_IEEE_F32LE, shape, storage);
  };
  for (const Extents& shape :
       {Extents{}, Extents{7}, Extents{5, 6}, Extents{3, 4, 5}, Extents{0, 3},
        Extents{2, 1, 2, 1, 2, 1, 2, 3}}) {
    add(shape, {.layout = H5D_CONTIGUOUS});
    add(shape, {.layout = H5D_COMPACT});
  }
  for (const Extents& chunk :
       {Extents{3, 4, 5}, Extents{1, 4, 5}, Extents{1, 1, 2}, Extents{2, 3, 5},
        Extents{2, 4, 2}, Extents{3, 1, 1}}) {
    add({3, 4, 5}, {.layout = H5D_CHUNKED, .chunk = chunk});
    add({3, 4, 5}, {.layout = H5D_CHUNKED,
                    .chunk = chunk,
                    .filters = {H5Z_FILTER_DEFLATE}});
  }
  file.close();
  for (const std::string& key : keys) expect_as_libhdf5(path(), key);
}

TEST_P(Hdf5VersionTest, EveryDtypeIsReadInBothByteOrders) {
  Hdf5Sample file = sample();
  std::vector<std::pair<std::string, Dtype>> keys;
  for (int i = 1; i < kDtypeCount; ++i) {
    const auto dtype = static_cast<Dtype>(i);
    for (const H5T_order_t order : {H5T_ORDER_LE, H5T_ORDER_BE}) {
      const Hdf5Handle type = hdf5::memory_type(dtype);
      H5Tset_order(type.id(), order);
      keys.emplace_back(to_string(dtype) + std::to_string(order), dtype);
      file.add(keys.back().first, type.id(), {3, 5},
               {.layout = H5D_CHUNKED, .chunk = {2, 2}});
    }
  }
  const Hdf5Handle boolean = hdf5::memory_type(Dtype::kBool);
  Hdf5Sample::write(file.create("bool", boolean.id(), {4}), boolean.id(),
                    "\1\0\0\1");
  keys.emplace_back("bool", Dtype::kBool);
  file.close();
  for (const auto& [key, dtype] : keys) {
    expect_as_libhdf5(path(), key);
    const auto entry = Hdf5Reader(path()).read(key);
    EXPECT_EQ(std::get<Array>(*entry).dtype(), dtype) << key;
  }
}

TEST_P(Hdf5VersionTest, FiltersAreUndoneInEveryOrder) {
  Hdf5Sample file = sample();
  std::vector<H5Z_filter_t> order = {H5Z_FILTER_DEFLATE, H5Z_FILTER_SHUFFLE,
                                     H5Z_FILTER_FLETCHER32};
  std::sort(order.begin(), order.end());
  int count = 0;
  do {
    for (size_t some = 1; some <= order.size(); ++some) {
      for (const hid_t type :
           {H5T_STD_U8LE, H5T_STD_I16LE, H5T_IEEE_F32LE, H5T_IEEE_F64BE}) {
        file.add("x" + std::to_string(count++), type, {9, 11},
                 {.layout = H5D_CHUNKED,
                  .chunk = {4, 5},
                  .filters = {order.begin(),
                              order.begin() + static_cast<int64_t>(some)}});
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
  file.close();
  for (int i = 0; i < count; ++i) {
    expect_as_libhdf5(path(), "x" + std::to_string(i));
  }
}

TEST_P(Hdf5VersionTest, ChunksMaySkipAnOptionalFilter) {
  Hdf5Sample file = sample();
  file.add("x", H5T_STD_U8LE, {300},
           {.layout = H5D_CHUNKED,
            .chunk = {100},
            .filters = {H5Z_FILTER_DEFLATE, H5Z_FILTER_FLETCHER32}});
  const Hdf5Handle dataset(H5Dopen2(file.id(), "x", H5P_DEFAULT), H5Dclose);
  std::string plain(100, '\x17');
  const uint32_t sum = hdf5::fletcher32(plain);
  for (int i = 0; i < 4; ++i) plain += static_cast<char>(sum >> 8 * i);
  const hsize_t at = 100;
  H5Dwrite_chunk(dataset.id(), H5P_DEFAULT, 1 << 0, &at, plain.size(),
                 plain.data());
  file.close();
  expect_as_libhdf5(path(), "x");
  const auto entry = Hdf5Reader(path()).read("x");
  EXPECT_EQ(std::get<Array>(*entry).raw_data()[150], '\x17');
}

TEST_P(Hdf5VersionTest, GroupsOfEverySizeAreRead) {
  for (const int links : {1, 9, 300, 5000}) {
    SCOPED_TRACE(links);
    {
      Hdf5Sample file = sample();
      file.create("group/sub/x0", H5T_STD_I32LE, {});
      const Hdf5Handle group(H5Gopen2(file.id(), "group/sub", H5P_DEFAULT),
                             H5Gclose);
      for (int i = 1; i < links; ++i) {
        H5Lcreate_hard(group.id(), "x0", group.id(),
                       ("x" + std::to_string(i)).c_str(), H5P_DEFAULT,
                       H5P_DEFAULT);
      }
      file.add("group/other/last", H5T_STD_I32LE, {3});
    }
    const Hdf5Reader reader(path());
    for (int i = 0; i < links; ++i) {
      ASSERT_TRUE(reader.read("group/sub/x" + std::to_string(i))) << i;
    }
    for (const std::string key :
         {"x0", "group/x0", "group/sub/x", "group/sub/x5000", "y/x0",
          "group/sub/x0/x0"}) {
      EXPECT_FALSE(reader.read(key)) << key;
    }
    expect_as_libhdf5(path(), "group/other/last");
  }
}

TEST_P(Hdf5VersionTest, LinksAreFoundAmongOthersThatWereRemoved) {
  Hdf5Sample file = sample();
  file.add("x0", H5T_STD_I32LE, {3});
  for (int i = 1; i < 400; ++i) {
    H5Lcreate_hard(file.id(), "x0", file.id(),
                   ("x" + std::to_string(i)).c_str(), H5P_DEFAULT, H5P_DEFAULT);
  }
  for (int i = 1; i < 400; i += 2) {
    H5Ldelete(file.id(), ("x" + std::to_string(i)).c_str(), H5P_DEFAULT);
  }
  file.close();
  const Hdf5Reader reader(path());
  for (int i = 0; i < 400; ++i) {
    EXPECT_EQ(reader.read("x" + std::to_string(i)).has_value(), i % 2 == 0);
  }
}

TEST_P(Hdf5VersionTest, AUserBlockAndSmallAddressesAreRead) {
  for (const size_t bytes : {4, 8}) {
    for (const hsize_t user_block : {0, 512, 4096}) {
      SampleOptions options = Hdf5VersionTest::options();
      options.user_block = user_block;
      options.address_bytes = bytes;
      options.length_bytes = bytes;
      {
        Hdf5Sample file(path(), options);
        file.add("a/b/contiguous", H5T_IEEE_F32LE, {5, 6});
        file.add("a/chunked", H5T_IEEE_F32LE, {5, 6},
                 {.layout = H5D_CHUNKED,
                  .chunk = {2, 2},
                  .filters = {H5Z_FILTER_DEFLATE}});
      }
      expect_as_libhdf5(path(), "a/b/contiguous");
      expect_as_libhdf5(path(), "a/chunked");
    }
  }
}

TEST_P(Hdf5VersionTest, ElementsThatWereNeverWrittenHaveTheFillValue) {
  Hdf5Sample file = sample();
  file.create("zeros", H5T_IEEE_F32LE, {2, 3});
  const float value = 1.5;
  for (const H5D_fill_time_t time :
       {H5D_FILL_TIME_IFSET, H5D_FILL_TIME_NEVER, H5D_FILL_TIME_ALLOC}) {
    const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_fill_value(creation.id(), H5T_NATIVE_FLOAT, &value);
    H5Pset_fill_time(creation.id(), time);
    file.create_as("x" + std::to_string(time), H5T_IEEE_F64BE, {2, 3}, {},
                   creation.id());
  }
  file.close();
  expect_as_libhdf5(path(), "zeros");
  for (const H5D_fill_time_t time :
       {H5D_FILL_TIME_IFSET, H5D_FILL_TIME_NEVER, H5D_FILL_TIME_ALLOC}) {
    expect_as_libhdf5(path(), "x" + std::to_string(time));
  }
}

Hdf5Handle variable_text() {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), H5T_VARIABLE);
  return type;
}

TEST_P(Hdf5VersionTest, TextOfVariableLengthIsRead) {
  Hdf5Sample file = sample();
  const Hdf5Handle type = variable_text();
  const std::vector<std::string> texts = {
      "", "h\xc3\xa9llo", std::string(100, 'a'), std::string(70'000, 'b'), "c"};
  for (size_t i = 0; i < texts.size(); ++i) {
    const char* text = texts[i].c_str();
    Hdf5Sample::write(
        file.create("x" + std::to_string(i), type.id(),
                    i % 2 == 0 ? Extents{} : Extents{1},
                    {.layout = i == 2 ? H5D_COMPACT : H5D_CONTIGUOUS}),
        type.id(), &text);
  }
  file.create("unwritten", type.id(), {});
  file.create("several", type.id(), {2});
  file.close();
  const Hdf5Reader reader(path());
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto entry = reader.read("x" + std::to_string(i));
    EXPECT_EQ(std::get<std::string>(*entry), texts[i]);
  }
  EXPECT_EQ(std::get<std::string>(*reader.read("unwritten")), "");
  EXPECT_THAT(error_of<IoError>([&] { reader.read("several"); }),
              HasSubstr("expected one text, got several"));
  // Its length counts.
  const LoadLimits limits = {.total_bytes = 1000};
  EXPECT_THAT(error_of<IoError>([&] { Hdf5Reader(path(), limits).read("x3"); }),
              HasSubstr("got 70000 besides 0"));
}

TEST_P(Hdf5VersionTest, TextOfFixedLengthIsReadWithoutItsPadding) {
  Hdf5Sample file = sample();
  const auto add = [&](const std::string& key, H5T_str_t padding,
                       const std::string& bytes) {
    const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type.id(), bytes.size());
    H5Tset_strpad(type.id(), padding);
    Hdf5Sample::write(file.create(key, type.id(), {}), type.id(), bytes.data());
  };
  add("zero", H5T_STR_NULLTERM, std::string("ab \0\0", 5));
  add("zeros", H5T_STR_NULLPAD, std::string("ab \0\0", 5));
  add("spaces", H5T_STR_SPACEPAD, "ab   ");
  add("full", H5T_STR_NULLPAD, "abcde");
  add("cut", H5T_STR_NULLTERM, std::string("ab\0c\0", 5));
  add("inside", H5T_STR_NULLPAD, std::string("ab\0c\0", 5));
  file.close();
  const Hdf5Reader reader(path());
  const auto text = [&](const std::string& key) {
    return std::get<std::string>(*reader.read(key));
  };
  EXPECT_EQ(text("zero"), "ab ");
  EXPECT_EQ(text("zeros"), "ab ");
  EXPECT_EQ(text("spaces"), "ab");
  EXPECT_EQ(text("full"), "abcde");
  EXPECT_EQ(text("cut"), "ab");
  EXPECT_EQ(text("inside"), std::string("ab\0c", 4));
}

TEST_P(Hdf5VersionTest, TheChecksumOfATextIsFoundAmongManyAttributes) {
  for (const int others : {0, 5, 40}) {
    SCOPED_TRACE(others);
    const std::string text = "some text";
    {
      Hdf5Sample file = sample();
      for (const std::string key : {"right", "wrong"}) {
        const Hdf5Handle type = hdf5::text_type(text.size());
        const Hdf5Handle dataset = file.create(key, type.id(), {});
        Hdf5Sample::write(dataset, type.id(), text.data());
        const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
        const auto add = [&](const std::string& name, uint32_t value) {
          const Hdf5Handle attribute(
              H5Acreate2(dataset.id(), name.c_str(), H5T_STD_U32BE, space.id(),
                         H5P_DEFAULT, H5P_DEFAULT),
              H5Aclose);
          H5Awrite(attribute.id(), H5T_NATIVE_UINT32, &value);
        };
        for (int i = 0; i < others; ++i) add("a" + std::to_string(i), 0);
        add("crc32", key == "right" ? array::crc32_of(text) : 1);
        for (int i = 0; i < others; ++i) add("z" + std::to_string(i), 0);
      }
    }
    const Hdf5Reader reader(path());
    EXPECT_EQ(std::get<std::string>(*reader.read("right")), text);
    EXPECT_THAT(error_of<IoError>([&] { reader.read("wrong"); }),
                HasSubstr("expected text with checksum 1"));
  }
}

// Attributes are found by a hash of their name, which another may have, too.
TEST(Hdf5AttributeTest, ItsHashAloneIsNoName) {
  constexpr size_t kAttributes = 20;
  constexpr size_t kRecordBytes = 17;  // heap ID, flags, order, hash
  const TempFolder folder;
  const std::string path = folder.file("sample.h5");
  {
    Hdf5Sample file(path, {.version = H5F_LIBVER_LATEST});
    const Hdf5Handle type = hdf5::text_type(4);
    const Hdf5Handle dataset = file.create("x", type.id(), {});
    Hdf5Sample::write(dataset, type.id(), "text");
    const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    for (size_t i = 0; i < kAttributes; ++i) {
      const Hdf5Handle attribute(
          H5Acreate2(dataset.id(), ("a" + std::to_string(i)).c_str(),
                     H5T_STD_U32LE, space.id(), H5P_DEFAULT, H5P_DEFAULT),
          H5Aclose);
      const uint32_t value = 1;
      H5Awrite(attribute.id(), H5T_NATIVE_UINT32, &value);
    }
  }
  std::string bytes = read_file(path);
  const size_t leaf = bytes.find(std::string("BTLF\0\x08", 6));
  ASSERT_NE(leaf, std::string::npos);
  const size_t sum_at = 6 + kAttributes * kRecordBytes;
  const auto as_bytes = [](uint32_t number) {
    return std::string(reinterpret_cast<const char*>(&number), sizeof number);
  };
  const auto mend = [&] {
    bytes.replace(
        leaf + sum_at, 4,
        as_bytes(hdf5::lookup3(std::string_view(bytes).substr(leaf, sum_at))));
    write_file(path, bytes);
  };
  const std::string sum = bytes.substr(leaf + sum_at, 4);
  mend();
  ASSERT_EQ(bytes.substr(leaf + sum_at, 4), sum);
  bytes.replace(leaf + 6 + 13, 4,
                as_bytes(hdf5::lookup3(std::string_view("crc32"))));
  mend();
  EXPECT_EQ(std::get<std::string>(*Hdf5Reader(path).read("x")), "text");
  constexpr char kIsShared = 1 << 1;
  bytes[leaf + 6 + 8] = kIsShared;
  mend();
  EXPECT_THAT(
      error_of<IoError>([&] { Hdf5Reader(path).read("x"); }),
      HasSubstr("expected an attribute of this object, got a shared one"));
}

TEST_P(Hdf5VersionTest, CommittedTypesAreRead) {
  Hdf5Sample file = sample();
  const Hdf5Handle type(H5Tcopy(H5T_IEEE_F32LE), H5Tclose);
  H5Tcommit2(file.id(), "type", type.id(), H5P_DEFAULT, H5P_DEFAULT,
             H5P_DEFAULT);
  file.add("x", type.id(), {3});
  file.close();
  expect_as_libhdf5(path(), "x");
  EXPECT_THAT(error_of<IoError>([&] { Hdf5Reader(path()).read("type"); }),
              HasSubstr("expected a dataset, got another object"));
}

TEST_P(Hdf5VersionTest, NoneIsRead) {
  Hdf5Sample file = sample();
  const Hdf5Handle space(H5Screate(H5S_NULL), H5Sclose);
  const Hdf5Handle dataset(
      H5Dcreate2(file.id(), "x", H5T_IEEE_F32LE, space.id(), H5P_DEFAULT,
                 H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose);
  ASSERT_TRUE(dataset.is_open());
  file.close();
  EXPECT_TRUE(
      std::holds_alternative<std::monostate>(*Hdf5Reader(path()).read("x")));
}

TEST_P(Hdf5VersionTest, OtherTypesAreNamed) {
  Hdf5Sample file = sample();
  const Hdf5Handle bits(H5Tcopy(H5T_STD_I32LE), H5Tclose);
  H5Tset_precision(bits.id(), 20);
  const hsize_t two = 2;
  const Hdf5Handle small(H5Tarray_create2(H5T_STD_I32LE, 1, &two), H5Tclose);
  const Hdf5Handle sequence(H5Tvlen_create(H5T_STD_I32LE), H5Tclose);
  const Hdf5Handle opaque(H5Tcreate(H5T_OPAQUE, 3), H5Tclose);
  const Hdf5Handle colours(H5Tenum_create(H5T_STD_I8LE), H5Tclose);
  for (const int8_t value : {0, 1}) {
    H5Tenum_insert(colours.id(), value == 0 ? "RED" : "BLUE", &value);
  }
  const std::vector<std::pair<std::string, hid_t>> types = {
      {"integer elements of 4", bits.id()},
      {"bitfield elements of 1", H5T_STD_B8LE},
      {"small array elements of 8", small.id()},
      {"sequence elements of 16", sequence.id()},
      {"opaque elements of 3", opaque.id()},
      {"enum elements of 1", colours.id()},
      {"reference elements of 8", H5T_STD_REF_OBJ}};
  for (const auto& [name, type] : types) file.create(name, type, {2});
  file.close();
  const Hdf5Reader reader(path());
  for (const auto& type : types) {
    EXPECT_THAT(error_of<IoError>([&] { reader.read(type.first); }),
                HasSubstr("expected numbers, bool or text, got " + type.first));
  }
}

TEST_P(Hdf5VersionTest, OtherFiltersAreNamed) {
  Hdf5Sample file = sample();
  const Hdf5Handle creation =
      Hdf5Sample::creation_of({.layout = H5D_CHUNKED, .chunk = {4}});
  H5Pset_nbit(creation.id());
  file.create_as("x", H5T_STD_I32LE, {8}, {}, creation.id());
  file.close();
  EXPECT_THAT(error_of<IoError>([&] { Hdf5Reader(path()).read("x"); }),
              HasSubstr("got filter 5 (nbit)"));
}

// Readers share nothing.
TEST_P(Hdf5VersionTest, ReadersOfManyThreadsReadAtOnce) {
  Hdf5Sample file = sample();
  for (int i = 0; i < 20; ++i) {
    file.add(
        "x" + std::to_string(i), H5T_STD_I32LE, {100},
        {.layout = H5D_CHUNKED, .chunk = {9}, .filters = {H5Z_FILTER_DEFLATE}});
  }
  file.close();
  std::vector<int> found(4);
  std::vector<std::thread> threads;
  for (int& count : found) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        const auto entry =
            Hdf5Reader(path()).read("x" + std::to_string(i % 20));
        count += std::get<Array>(*entry).size() == 100;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(found, ::testing::Each(200));
}

struct Index {
  std::string name;
  H5F_libver_t version;
  std::string signature;  // in the file
  Extents shape;
  SampleStorage storage;
};
std::ostream& operator<<(std::ostream& os, const Index& index) {
  return os << index.name;
}

class Hdf5ChunkIndexTest : public ::testing::TestWithParam<Index> {};

TEST_P(Hdf5ChunkIndexTest, IsRead) {
  const TempFolder folder;
  const std::string path = folder.file("sample.h5");
  SampleStorage storage = GetParam().storage;
  storage.layout = H5D_CHUNKED;
  for (const bool has_filters : {false, true}) {
    // These have another index, and libhdf5 takes seconds for many chunks.
    if (has_filters && (storage.is_early || GetParam().shape[0] > 100'000)) {
      continue;
    }
    SCOPED_TRACE(has_filters);
    if (has_filters) {
      storage.filters = {H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE};
    }
    {
      Hdf5Sample file(path, {.version = GetParam().version});
      file.add("x", H5T_STD_I16LE, GetParam().shape, storage);
    }
    EXPECT_THAT(read_file(path), HasSubstr(GetParam().signature));
    expect_as_libhdf5(path, "x");
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Hdf5ChunkIndexTest,
    ::testing::ValuesIn(std::vector<Index>{
        {"BTree1", H5F_LIBVER_EARLIEST, "TREE", {7, 9}, {.chunk = {2, 3}}},
        {"BTree1OfManyLevels",
         H5F_LIBVER_V18,
         "TREE",
         {5000, 3},
         {.chunk = {1, 3}}},
        {"BTree1ThatGrows",
         H5F_LIBVER_V18,
         "TREE",
         {70, 60},
         {.chunk = {3, 1}, .max_shape = {kAny, kAny}}},
        {"Single", H5F_LIBVER_LATEST, "", {7, 9}, {.chunk = {7, 9}}},
        {"Implicit",
         H5F_LIBVER_LATEST,
         "",
         {7, 9, 2},
         {.chunk = {2, 3, 1}, .is_early = true}},
        {"ImplicitThatGrows",
         H5F_LIBVER_LATEST,
         "",
         {7, 9},
         {.chunk = {2, 3}, .max_shape = {11, 17}, .is_early = true}},
        {"FixedArray", H5F_LIBVER_LATEST, "FAHD", {7, 9}, {.chunk = {2, 3}}},
        {"FixedArrayThatGrows",
         H5F_LIBVER_LATEST,
         "FAHD",
         {7, 9, 4},
         {.chunk = {2, 3, 1}, .max_shape = {8, 30, 9}}},
        {"FixedArrayOfPages",
         H5F_LIBVER_LATEST,
         "FAHD",
         {50, 101},
         {.chunk = {1, 2}}},
        {"FixedArrayOfPagesThatGrows",
         H5F_LIBVER_LATEST,
         "FAHD",
         {50, 40},
         {.chunk = {1, 1}, .max_shape = {50, 4000}}},
        {"ExtensibleArray",
         H5F_LIBVER_LATEST,
         "EAHD",
         {7},
         {.chunk = {2}, .max_shape = {kAny}}},
        {"ExtensibleArrayOfSuperBlocks",
         H5F_LIBVER_LATEST,
         "EASB",
         {5000, 2},
         {.chunk = {1, 1}, .max_shape = {kAny, 3}}},
        {"ExtensibleArrayOfTheSecondAxis",
         H5F_LIBVER_LATEST,
         "EASB",
         {3, 700, 2},
         {.chunk = {1, 1, 1}, .max_shape = {4, kAny, 5}}},
        {"ExtensibleArrayOfPages",
         H5F_LIBVER_LATEST,
         "EASB",
         {132'000},
         {.chunk = {1}, .max_shape = {kAny}}},
        {"BTree2",
         H5F_LIBVER_LATEST,
         "BTHD",
         {7, 9},
         {.chunk = {2, 3}, .max_shape = {kAny, kAny}}},
        {"BTree2OfManyLevels",
         H5F_LIBVER_LATEST,
         "BTIN",
         {80, 3, 50},
         {.chunk = {1, 2, 1}, .max_shape = {kAny, 3, kAny}}},
        {"PlainEdges",
         H5F_LIBVER_LATEST,
         "FAHD",
         {7, 9},
         {.chunk = {4, 9}, .has_plain_edges = true}},
        {"PlainEdgesOfBothAxes",
         H5F_LIBVER_LATEST,
         "BTHD",
         {7, 9},
         {.chunk = {4, 4}, .max_shape = {kAny, kAny}, .has_plain_edges = true}},
    }),
    [](const auto& info) { return info.param.name; });

// libhdf5 has not written these since version 1.6.
TEST(Hdf5OldLayoutTest, ContiguousDataIsRead) {
  const TempFolder folder;
  const std::string path = folder.file("sample.h5");
  {
    Hdf5Sample file(path);
    file.add("x", H5T_STD_I16LE, {5});
  }
  // Version, class, address and bytes; made to version, number of dimensions,
  // class, five zeros, address and dimensions.
  std::string bytes = read_file(path);
  const std::string sizes("\x0a\0\0\0\0\0\0\0", 8);
  const size_t end = bytes.rfind(sizes);
  ASSERT_EQ(bytes.substr(end - 10, 2), "\3\1");
  const std::string address = bytes.substr(end - 8, 8);
  const std::string message = std::string("\1\1\1\0\0\0\0\0", 8) + address +
                              std::string("\5\0\0\0\0\0\0\0", 8);
  for (const char version : {'\1', '\2'}) {
    bytes.replace(end - 10, message.size(), message);
    bytes[end - 10] = version;
    write_file(path, bytes);
    expect_as_libhdf5(path, "x");
  }
}

}  // namespace
}  // namespace catena::serializers
