#include "catena/array/io/npz.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/io/byte_source.h"
#include "catena/array/io/testing/zip_builder.h"
#include "catena/array/io/zip_reader.h"
#include "catena/tests/support/runfiles.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::array {
namespace {

using ::catena::testing::error_of;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::IsArray;
using testing::read_file;
using testing::runfile;
using ::testing::StartsWith;
using testing::TempFolder;
using testing::write_file;

std::string golden_npz(const std::string& name) {
  return runfile("tests/golden/" + name);
}

Array numbers() { return array({0.5, 1.5, 2.5}, Dtype::kFloat32); }

// The bytes of each member of an archive, by key, in the archive's order.
std::vector<std::pair<std::string, std::string>> members_of(
    const std::string& path) {
  const ZipReader zip(ByteSource::open(path, "test", {}), {});
  std::vector<std::pair<std::string, std::string>> members;
  for (const ZipMember& member : zip.members()) {
    std::string bytes(static_cast<size_t>(member.uncompressed), '\0');
    zip.open(member)->read(bytes);
    members.emplace_back(
        member.name.substr(0, member.name.size() - std::strlen(".npy")), bytes);
  }
  return members;
}

std::string without_spaces(std::string text) {
  std::erase_if(text, ::isspace);
  return text;
}

TEST(NpzReaderTest, ReadsStoredAndDeflatedAlike) {
  const NpzReader stored(golden_npz("array/npy/expected.npz"));
  const NpzReader deflated(golden_npz("array/npy/expected_compressed.npz"));
  ASSERT_FALSE(stored.keys().empty());
  EXPECT_EQ(stored.keys(), deflated.keys());
  for (const std::string& key : stored.keys()) {
    EXPECT_THAT(deflated.read_array(key), IsArray(stored.read_array(key)));
  }
}

TEST(NpzReaderTest, ReadsManyBlocksOfCompressedData) {
  const NpzReader reader(golden_npz("array/npy/deflate_big.npz"));
  const Array big = reader.read_array("big");
  ASSERT_EQ(big.ndim(), 2);
  const int64_t rows = big.shape()[0];
  const int64_t columns = big.shape()[1];
  const auto values = big.to_vector<double>();
  std::vector<double> row_sums(rows), column_sums(columns);
  double largest = 0;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      row_sums[i] += values[i * columns + j];
      column_sums[j] += values[i * columns + j];
      largest = std::max(largest, std::abs(values[i * columns + j]));
    }
  }
  EXPECT_GT(largest, 0);
  const auto expect_sums = [&](const char* key, const std::vector<double>& sums,
                               int64_t terms) {
    const double error = 1e-7 * largest * static_cast<double>(terms);
    EXPECT_THAT(
        sums, ::testing::Pointwise(::testing::DoubleNear(error),
                                   reader.read_array(key).to_vector<double>()))
        << key;
  };
  expect_sums("rowsum", row_sums, columns);
  expect_sums("colsum", column_sums, rows);
}

TEST(NpzReaderTest, ReadsWhatChainerSaved) {
  const std::string path = golden_npz("serializers/model_uninitialized.npz");
  const NpzReader model(path);
  std::vector<std::string> keys;
  int nones = 0;
  for (const auto& [key, bytes] : members_of(path)) {
    SCOPED_TRACE(key);
    keys.push_back(key);
    // Python pickles None; everything else in the file is numbers.
    const bool is_none = bytes.find("'descr': '|O'") != std::string::npos;
    EXPECT_EQ(model.read(key).is_none(), is_none);
    EXPECT_EQ(model.read(key).is_array(), !is_none);
    if (!is_none) continue;
    ++nones;
    const auto read_array = [&, &key = key] { model.read_array(key); };
    EXPECT_THAT(
        error_of<IoError>(read_array),
        AllOf(HasSubstr("model_uninitialized.npz': member '" + key + ".npy'"),
              HasSubstr("expected an array of numbers, got None")));
  }
  EXPECT_EQ(model.keys(), keys);
  EXPECT_GT(nones, 0);
  EXPECT_LT(nones, static_cast<int>(keys.size()));
}

// A snapshot has the log up to then, a prefix of the complete one.
TEST(NpzReaderTest, ReadsTextThatChainerSaved) {
  const std::string log =
      without_spaces(read_file(golden_npz("serializers/trainer_log.json")));
  for (const std::string& name : testing::runfile_names(
           "tests/golden/serializers", "trainer_snapshot_iter_", ".npz")) {
    SCOPED_TRACE(name);
    const NpzReader snapshot(golden_npz("serializers/" + name));
    std::string text =
        without_spaces(snapshot.read_text("extensions/LogReport/_log"));
    ASSERT_THAT(text, ::testing::EndsWith("]"));
    text.pop_back();
    EXPECT_THAT(log, StartsWith(text));
    EXPECT_THAT(error_of<IoError>(
                    [&] { snapshot.read_text("updater/optimizer:main/t"); }),
                HasSubstr("expected a single string"));
  }
}

TEST(NpzReaderTest, SeveralTextsAreNotOne) {
  for (const NpzCompression compression :
       {NpzCompression::kStored, NpzCompression::kDeflate}) {
    std::string bytes;
    StringSink sink(&bytes);
    NpzWriter writer(sink, compression);
    writer.write("x", NpyString(Shape{2}, {"a", "b"}));
    writer.commit();
    const TempFolder folder;
    const std::string path = folder.file("texts.npz");
    write_file(path, bytes);
    EXPECT_THAT(error_of<IoError>([&] { NpzReader(path).read_text("x"); }),
                HasSubstr("expected a single string"));
  }
}

TEST(NpzReaderTest, NamesTheMemberThatIsMissing) {
  const NpzReader reader(golden_npz("array/npy/deflate_big.npz"));
  const std::string present = reader.keys().at(0);
  EXPECT_TRUE(reader.contains(present));
  EXPECT_FALSE(reader.contains(present + ".npy"));
  EXPECT_THAT(
      error_of<IoError>([&] { reader.read("l1/W"); }),
      AllOf(HasSubstr("load_npz: '"),
            HasSubstr("deflate_big.npz': expected a key of the archive, "
                      "got 'l1/W'; its keys are "),
            HasSubstr("'" + present + "'")));
  EXPECT_THAT(error_of<ValueError>([] {
                load_npz(golden_npz("array/npy/deflate_big.npz")).at("l1/W");
              }),
              HasSubstr("got 'l1/W'; its keys are '"));
}

TEST(NpzReaderTest, NamesTheMemberThatIsDamaged) {
  const std::string damaged = build_zip({{"x.npy", "no array"}});
  EXPECT_THAT(
      error_of<IoError>([&] { NpzReader::from_bytes(damaged).read("x"); }),
      "load_npz: '<memory>': member 'x.npy': expected a .npy file, "
      "which starts with '\\x93NUMPY', got 'no array'");
  const std::string other = build_zip({{"readme", ""}});
  EXPECT_THAT(error_of<IoError>([&] { NpzReader::from_bytes(other); }),
              HasSubstr("member 'readme': expected a name that ends in .npy"));
}

TEST(NpzReaderTest, RefusesBytesInFrontOfTheArchive) {
  EXPECT_TRUE(NpzReader::from_bytes(build_zip({})).keys().empty());
  std::string archive =
      "PK\5\5" + build_zip({}, [](RawEnd& end) { end.offset += 4; });
  EXPECT_THAT(error_of<IoError>([&] { NpzReader::from_bytes(archive); }),
              HasSubstr("got other bytes in front of it"));
}

TEST(NpzReaderTest, ReadsInManyThreads) {
  const NpzReader reader(golden_npz("array/npy/expected_compressed.npz"));
  const std::string key = reader.keys().at(0);
  const Array expected = reader.read_array(key);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 100; ++k) {
        EXPECT_THAT(reader.read_array(key), IsArray(expected));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

class SavezDeviceTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, SavezDeviceTest, testing::every_device(),
                         testing::device_name);

TEST_P(SavezDeviceTest, LoadsBackInBothForms) {
  const TempFolder folder;
  const std::string path = folder.file("a.npz");
  const NpzItems items = {{"l1/W", numbers()},
                          {"empty", empty({0, 3}, Dtype::kInt8)},
                          {"log", std::string("[]")},
                          {"none", NpyNone{}}};
  for (const auto save :
       {+[](const std::string&p, const NpzItems&i) { savez(p, i); },
        +[](const std::string&p, const NpzItems&i) {
          savez_compressed(p, i);
        }}) {
    save(path, items);
    EXPECT_THAT(NpzReader(path).keys(),
                ElementsAre("l1/W", "empty", "log", "none"));
    const auto loaded = load_npz(path);
    EXPECT_THAT(loaded.at("l1/W").array(), IsArray(numbers()));
    EXPECT_EQ(loaded.at("empty").array().shape(), Shape({0, 3}));
    EXPECT_EQ(loaded.at("log").text(), "[]");
    EXPECT_TRUE(loaded.at("none").is_none());
    std::string first = read_file(path);
    save(path, items);
    EXPECT_EQ(read_file(path), first);
  }
}

TEST(SavezTest, NamesPositionalArraysAsNumPyDoes) {
  const TempFolder folder;
  savez(folder.file("a.npz"), {numbers(), numbers()});
  EXPECT_THAT(NpzReader(folder.file("a.npz")).keys(),
              ElementsAre("arr_0", "arr_1"));
  savez_compressed(folder.file("a.npz"), {numbers()});
  EXPECT_THAT(NpzReader(folder.file("a.npz")).keys(), ElementsAre("arr_0"));
}

TEST(SavezTest, LoadsToTheCurrentDevice) {
  const TempFolder folder;
  savez(folder.file("a.npz"), {{"x", numbers()}});
  const DeviceScope scope(native_device(1));
  EXPECT_EQ(load_npz(folder.file("a.npz")).at("x").array().device(),
            native_device(1));
}

TEST(SavezTest, AFailureLeavesTheOldFile) {
  const TempFolder folder;
  const std::string path = folder.file("a.npz");
  write_file(path, "old");
  EXPECT_THAT(error_of<ValueError>([&] {
                savez(path, {{"x", numbers()}, {"x", numbers()}});
              }),
              HasSubstr("a.npz': member 'x.npy': expected distinct names"));
  EXPECT_THAT(error_of<ValueError>([&] {
                savez(path, {{"../x", numbers()}});
              }),
              HasSubstr("got a path with '..'"));
  EXPECT_THAT(error_of<DtypeError>([&] {
                savez(path, {{"x", empty({1}, Dtype::kBFloat16)}});
              }),
              HasSubstr("savez: the .npy format has no bfloat16"));
  EXPECT_THAT(error_of<IoError>([&] {
                savez(folder.file("none/a.npz"), {{"x", numbers()}});
              }),
              HasSubstr("savez: '"));
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(
      std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(NpzWriterTest, CannotGoOnAfterAnException) {
  std::string bytes;
  StringSink sink(&bytes);
  NpzWriter writer(sink);
  EXPECT_THROW(writer.write("x", empty({1}, Dtype::kBFloat16)), DtypeError);
  EXPECT_THAT(error_of<ValueError>([&] { writer.commit(); }),
              HasSubstr("member 'x.npy' was not finished"));
}

}  // namespace
}  // namespace catena::array
