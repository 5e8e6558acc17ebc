#include "catena/array/io/npz.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "catena/array/error.h"
#include "catena/array/io/testing/zip_builder.h"
#include "catena/tests/support/runfiles.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::array {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::IsArray;
using testing::read_file;
using testing::runfile;
using testing::TempFolder;
using ::testing::ThrowsMessage;
using testing::write_file;

std::string golden(const std::string& name) {
  return runfile("tests/golden/" + name);
}

Array numbers() {
  return NpzReader(golden("array/npy/expected.npz")).read_array("float32");
}

TEST(NpzReaderTest, ReadsStoredAndDeflatedAlike) {
  const NpzReader stored(golden("array/npy/expected.npz"));
  const NpzReader deflated(golden("array/npy/expected_compressed.npz"));
  EXPECT_EQ(stored.keys(), deflated.keys());
  for (const std::string& key : stored.keys()) {
    EXPECT_THAT(deflated.read_array(key), IsArray(stored.read_array(key)));
  }
}

TEST(NpzReaderTest, ReadsManyBlocksOfCompressedData) {
  const NpzReader reader(golden("array/npy/deflate_big.npz"));
  EXPECT_THAT(reader.keys(), ElementsAre("big", "rowsum", "colsum"));
  const Array big = reader.read_array("big");
  const Array rowsum = reader.read_array("rowsum");
  ASSERT_EQ(big.ndim(), 2);
  ASSERT_EQ(rowsum.size(), big.shape()[0]);
  for (int64_t i = 0; i < big.shape()[0]; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < big.shape()[1]; ++j)
      sum += big[i][j].item<double>();
    EXPECT_NEAR(sum, rowsum[i].item<double>(), 1e-3) << i;
  }
}

TEST(NpzReaderTest, ReadsWhatChainerSaved) {
  const NpzReader model(golden("serializers/model_uninitialized.npz"));
  EXPECT_THAT(model.keys(), ElementsAre("0/b", "0/W", "1/b", "1/W"));
  EXPECT_TRUE(model.read("0/W").is_none());
  EXPECT_TRUE(model.read("1/W").is_array());
  EXPECT_THAT([&] { model.read_array("0/W"); },
              ThrowsMessage<IoError>(
                  AllOf(HasSubstr("model_uninitialized.npz': member '0/W.npy'"),
                        HasSubstr("expected an array of numbers, got None"))));
  const NpzReader snapshot(golden("serializers/trainer_snapshot_iter_3.npz"));
  EXPECT_THAT(snapshot.read_text("extensions/LogReport/_log"),
              HasSubstr("[{\"main/loss\": 0.6754"));
  EXPECT_THAT([&] { snapshot.read_text("updater/optimizer:main/t"); },
              ThrowsMessage<IoError>(HasSubstr("expected a single string")));
}

TEST(NpzReaderTest, NamesTheMemberThatIsMissing) {
  const NpzReader reader(golden("array/npy/deflate_big.npz"));
  EXPECT_TRUE(reader.contains("big"));
  EXPECT_FALSE(reader.contains("big.npy"));
  EXPECT_THAT([&] { reader.read("l1/W"); },
              ThrowsMessage<IoError>(
                  AllOf(HasSubstr("load_npz: '"),
                        HasSubstr("deflate_big.npz': expected a member "
                                  "'l1/W.npy', got 3 members without it"))));
}

TEST(NpzReaderTest, NamesTheMemberThatIsDamaged) {
  const std::string damaged = build_zip({{"x.npy", "no array"}});
  EXPECT_THAT([&] { NpzReader::from_bytes(damaged).read("x"); },
              ThrowsMessage<IoError>(
                  "load_npz: '<memory>': member 'x.npy': expected a .npy file, "
                  "which starts with '\\x93NUMPY', got 'no array'"));
  const std::string other = build_zip({{"readme", ""}});
  EXPECT_THAT([&] { NpzReader::from_bytes(other); },
              ThrowsMessage<IoError>(HasSubstr(
                  "member 'readme': expected a name that ends in .npy")));
}

TEST(NpzReaderTest, ReadsInManyThreads) {
  const NpzReader reader(golden("array/npy/expected_compressed.npz"));
  const Array expected = reader.read_array("float64");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 100; ++k) {
        EXPECT_THAT(reader.read_array("float64"), IsArray(expected));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(SavezTest, LoadsBackInBothForms) {
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
  EXPECT_THAT(
      [&] {
        savez(path, {{"x", numbers()}, {"x", numbers()}});
      },
      ThrowsMessage<ValueError>(
          HasSubstr("a.npz': member 'x.npy': expected distinct names")));
  EXPECT_THAT(
      [&] {
        savez(path, {{"../x", numbers()}});
      },
      ThrowsMessage<ValueError>(HasSubstr("got a path with '..'")));
  EXPECT_THAT(
      [&] {
        savez(path, {{"x", empty({1}, Dtype::kBFloat16)}});
      },
      ThrowsMessage<DtypeError>(
          HasSubstr("savez: the .npy format has no bfloat16")));
  EXPECT_THAT(
      [&] {
        savez(folder.file("none/a.npz"), {{"x", numbers()}});
      },
      ThrowsMessage<IoError>(HasSubstr("savez: '")));
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(
      std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(NpzWriterTest, CannotGoOnAfterAnException) {
  std::string bytes;
  StringSink sink(&bytes);
  NpzWriter writer(sink);
  EXPECT_THROW(writer.write("x", empty({1}, Dtype::kBFloat16)), DtypeError);
  EXPECT_THAT(
      [&] { writer.commit(); },
      ThrowsMessage<ValueError>(HasSubstr("member 'x.npy' was not finished")));
}

}  // namespace
}  // namespace catena::array
