#include "catena/serializers/hdf5.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/stat.h>
#include <zlib.h>

#include <cstdint>
#include <string>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/links/chain.h"
#include "catena/serializers/hdf5_library.h"
#include "catena/serializers/testing/reference_model.h"
#include "catena/tests/support/python.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::serializers {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::IsArray;
using ::catena::testing::TempFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Hdf5Test, LoadsWhatChainerSaved) {
  for (const std::string file : {"model.h5", "model_nocompress.h5"}) {
    SCOPED_TRACE(file);
    expect_model("model_reference.npz",
                 [&](auto& model) { load_hdf5(golden(file), model); });
  }
}

TEST(Hdf5Test, LoadsWhatChainerSavedInOtherPrecisions) {
  for (const std::string name : {"model_f16", "model_f64"}) {
    SCOPED_TRACE(name);
    expect_model(name + "_reference.npz",
                 [&](auto& model) { load_hdf5(golden(name + ".h5"), model); });
    const Hdf5Reader reader(golden(name + ".h5"));
    for (const auto& [key, expected] :
         keyed_arrays(name + "_reference.npz", "param/")) {
      const auto entry = reader.read(key);
      ASSERT_TRUE(entry.has_value()) << key;
      EXPECT_THAT(std::get<Array>(*entry), IsArray(expected)) << key;
    }
  }
}

TEST(Hdf5Test, AChangedElementOfALargeArrayIsAnErrorWithoutCompression) {
  const TempFolder folder;
  const std::string path = folder.file("x.h5");
  Array x = array::arange(100'000, Dtype::kFloat32);
  const auto serialize = [&](const Serializer& s) { s("x", x); };
  save_hdf5(path, serialize, {.compression = 0});
  std::string bytes = testing::read_file(path);
  const size_t at = bytes.find(std::string(x.raw_data() + 40000, 100));
  ASSERT_NE(at, std::string::npos);
  bytes[at] ^= 1;
  testing::write_file(path, bytes);
  EXPECT_THAT(error_of<IoError>([&] { load_hdf5(path, serialize); }),
              HasSubstr("damaged chunk: expected checksum"));
}

TEST(Hdf5Test, AParameterThatChainerSavedWithoutAValueStaysUninitialized) {
  expect_uninitialized_model(
      [](auto& model) { load_hdf5(golden("model_uninitialized.h5"), model); });
}

TEST(Hdf5Test, OptimizersGoOnWhereChainerStopped) {
  expect_next_steps([](const std::string& name, auto& optimizer) {
    load_hdf5(golden(name + ".h5"), optimizer);
  });
}

TEST(Hdf5Test, ChainerLoadsWhatIsSaved) {
  const auto python = testing::python_with("chainer, h5py");
  if (!python) GTEST_SKIP() << "no python3 with Chainer and h5py here";
  expect_chainer_loads(
      *python, "load_hdf5",
      [](const std::string& path, auto& what) { save_hdf5(path, what); });
}

TEST(Hdf5Test, H5pyReadsWhatIsSaved) {
  const auto python = testing::python_with("numpy, h5py");
  if (!python) GTEST_SKIP() << "no python3 with h5py on this machine";
  Model model;
  model.l1->W.data().fill(0.5);
  Array large = array::arange(1 << 20).astype(Dtype::kFloat32);
  Array half = array::arange(6).astype(Dtype::kFloat16).reshape({2, 3});
  Array none;
  bool yes = true;
  std::string text = "h\xc3\xa9llo";
  const TempFolder folder;
  for (const int compression : {0, 4}) {
    SCOPED_TRACE(compression);
    const std::string path = folder.file("model.h5");
    const auto serialize = [&](const Serializer& s) {
      model.serialize(s);
      s("large", large);
      s("half", half);
      s("none", none);
      s("text", text);
      s("yes", yes);
    };
    save_hdf5(path, serialize, {.compression = compression});
    const testing::PythonResult result =
        testing::run_python(*python, R"(
import sys
import numpy as np
import h5py
f = h5py.File(sys.argv[1], 'r')
compression = 'gzip' if sys.argv[2] == '4' else None
assert f['l1/W'].dtype == 'f4' and f['l1/W'].shape == (4, 3)
assert (f['l1/W'][:] == 0.5).all() and f['bn/N'][()] == 0
assert f['blocks/1/0/W'].compression == compression
assert f['large'].compression == compression and f['large'].fletcher32
assert (f['large'][:] == np.arange(1 << 20)).all()
assert f['half'].dtype == 'f2' and f['half'][1, 2] == 5
assert isinstance(f['none'][()], h5py.Empty)
assert f['text'][()].decode() == 'h\u00e9llo'
assert f['yes'][()] == 1
f.close()
# What it changes in place loads again.
f = h5py.File(sys.argv[1], 'r+')
f['l1/W'][...] = 0.25
f['large'][7] = -1
)",
                            {path, std::to_string(compression)});
    EXPECT_EQ(result.status, 0) << result.output;
    Model changed;
    load_hdf5(path, changed);
    EXPECT_EQ(changed.l1->W.data().ravel()[5].item<float>(), 0.25);
    const auto entry = Hdf5Reader(path).read("large");
    EXPECT_EQ(std::get<Array>(*entry)[7].item<float>(), -1);
  }
}

TEST(Hdf5ErrorTest, LevelsKeysAndTextThatCannotBeAreRefused) {
  const TempFolder folder;
  Weights weights(Shape{2});
  for (const int compression : {-1, 10}) {
    EXPECT_THAT(error_of<ValueError>([&] {
                  save_hdf5(folder.file("x"), weights,
                            {.compression = compression});
                }),
                HasSubstr(str("compression from 0 to 9, got ", compression)));
  }
  Hdf5Writer writer(folder.file("y"), 4);
  const Array one = array::ones({});
  writer.write("a/b", one);
  for (const std::string key :
       {"", "/a", "a/", "a//b", ".", "a/../b", "a/b", "a/b/c", "a"}) {
    EXPECT_THROW(writer.write(key, one), ValueError) << key;
  }
  EXPECT_THROW(writer.write("text", std::string("a\0b", 3)), ValueError);
}

TEST(Hdf5LibraryTest, ErrorsAreThoseOfTheLibraryIfItHasAny) {
  const hdf5::Library library;
  H5Eclear2(H5E_DEFAULT);
  EXPECT_EQ(hdf5::last_error(), "no details");
  const hid_t none = -1;
  EXPECT_THAT(
      error_of<IoError>(
          [&] { hdf5::checked(H5Dget_space(none), "here", "cannot"); }),
      AllOf(HasSubstr("here: cannot: '"), Not(HasSubstr("no details"))));
  EXPECT_THROW(hdf5::memory_type(static_cast<Dtype>(99)), DtypeError);
}

// A handcrafted file.
class HostileHdf5Test : public ::testing::Test {
 protected:
  HostileHdf5Test()
      : path_(folder_.file("hostile.h5")),
        file_(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT,
                        H5P_DEFAULT)) {}

  void expect_refusal(const std::string& key, const std::string& message,
                      const LoadLimits& limits = {}) {
    H5Fclose(file_);
    const Hdf5Reader reader(path_, limits);
    EXPECT_THAT(
        error_of<IoError>([&] { reader.read(key); }),
        AllOf(HasSubstr("hostile.h5"), HasSubstr("x"), HasSubstr(message)));
  }

  // A dataset "x" of float32.
  void add_dataset(hid_t type, std::initializer_list<hsize_t> shape,
                   hid_t creation = H5P_DEFAULT) {
    const hid_t space = H5Screate_simple(static_cast<int>(shape.size()),
                                         shape.begin(), nullptr);
    const hid_t dataset =
        H5Dcreate2(file_, "x", type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    ASSERT_GE(dataset, 0);
    H5Dclose(dataset);
    H5Sclose(space);
  }

  TempFolder folder_;
  std::string path_;
  hid_t file_;
};

TEST_F(HostileHdf5Test, LinksAreNotFollowed) {
  H5Lcreate_soft("/", file_, "x", H5P_DEFAULT, H5P_DEFAULT);
  expect_refusal("x", "got a link to another location");
}

TEST_F(HostileHdf5Test, LinksToOtherFilesAreNotFollowed) {
  H5Lcreate_external("/etc/passwd", "/", file_, "x", H5P_DEFAULT, H5P_DEFAULT);
  expect_refusal("x/y", "got a link to another location");
}

TEST_F(HostileHdf5Test, CyclesOfGroupsAreGroups) {
  H5Lcreate_hard(file_, "/", file_, "x", H5P_DEFAULT, H5P_DEFAULT);
  expect_refusal("x/x/x", "expected a dataset, got a group");
}

TEST_F(HostileHdf5Test, DataInOtherFilesIsNotRead) {
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_external(creation, "/etc/passwd", 0, 16);
  add_dataset(H5T_NATIVE_FLOAT, {4}, creation);
  H5Pclose(creation);
  expect_refusal("x", "expected data in this file");
}

TEST_F(HostileHdf5Test, HugeShapesAreRefusedBeforeMemoryIsTaken) {
  add_dataset(H5T_NATIVE_FLOAT, {hsize_t{1} << 40, hsize_t{1} << 40});
  expect_refusal("x", "got a larger array");
}

TEST_F(HostileHdf5Test, AnExtentOfZeroDoesNotHideHugeOnes) {
  const hsize_t huge = hsize_t{1} << 40;
  add_dataset(H5T_NATIVE_FLOAT, {0, huge, huge, huge});
  expect_refusal("x", "got a larger array");
}

// Nothing was written, so the file has no data for it.
TEST_F(HostileHdf5Test, ArraysLargerThanTheirBytesAreRefused) {
  add_dataset(H5T_NATIVE_FLOAT, {hsize_t{1} << 30});
  expect_refusal("x", "times the 0 bytes it takes");
}

TEST_F(HostileHdf5Test, MoreAxesThanArraysHaveAreRefused) {
  add_dataset(H5T_NATIVE_FLOAT, {1, 1, 1, 1, 1, 1, 1, 1, 1});
  expect_refusal("x", "at most 8 axes, got 9");
}

TEST_F(HostileHdf5Test, OtherTypesAreRefused) {
  const hid_t type = H5Tcreate(H5T_COMPOUND, 8);
  H5Tinsert(type, "re", 0, H5T_NATIVE_FLOAT);
  H5Tinsert(type, "im", 4, H5T_NATIVE_FLOAT);
  add_dataset(type, {1});
  H5Tclose(type);
  expect_refusal("x", "expected numbers, bool or text");
}

TEST_F(HostileHdf5Test, BytesThatAreNoBoolAreRefused) {
  const Hdf5Handle type = hdf5::memory_type(Dtype::kBool);
  add_dataset(type.id(), {2});
  const hid_t dataset = H5Dopen2(file_, "x", H5P_DEFAULT);
  H5Dwrite(dataset, type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, "\1\2");
  H5Dclose(dataset);
  expect_refusal("x", "expected 0 and 1 as bool");
}

TEST_F(HostileHdf5Test, ARatioOfZeroIsARatioOfOne) {
  add_dataset(H5T_NATIVE_FLOAT, {4});
  expect_refusal("x", "at most 1 times the 0 bytes it takes",
                 {.compression_ratio = 0});
}

TEST_F(HostileHdf5Test, LimitsOfFilesAndEntriesHold) {
  H5Fclose(file_);
  Hdf5Writer writer(path_, 0);
  writer.write("x", array::ones({4}, Dtype::kFloat32));
  writer.write("y", array::ones({4}, Dtype::kFloat32));
  writer.commit();
  EXPECT_THAT(
      error_of<IoError>([&] { Hdf5Reader(path_, {.file_bytes = 100}); }),
      HasSubstr("LoadLimits::file_bytes"));
  const Hdf5Reader one(path_, {.members = 1});
  one.read("x");
  one.read("x");
  EXPECT_THAT(error_of<IoError>([&] { one.read("y"); }),
              HasSubstr("LoadLimits::members"));
  const Hdf5Reader small(path_, {.total_bytes = 31});
  small.read("x");
  small.read("x");
  EXPECT_THAT(error_of<IoError>([&] { small.read("y"); }),
              HasSubstr("expected at most 31 bytes of arrays "
                        "(LoadLimits::total_bytes), got 16 besides 16"));
}

// Opening it would wait until someone writes to it.
TEST(Hdf5FileTest, ANamedPipeIsRefused) {
  const TempFolder folder;
  const std::string path = folder.file("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(error_of<IoError>([&] { const Hdf5Reader reader(path); }),
              HasSubstr("expected a regular file"));
}

// A chunk of 64 float32; the file has `bytes` bytes of it.
class HostileChunkTest : public HostileHdf5Test {
 protected:
  void write_chunk(const std::string& bytes, uint32_t skipped_filters) {
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t extent = 64;
    H5Pset_chunk(creation, 1, &extent);
    H5Pset_deflate(creation, 4);
    add_dataset(H5T_NATIVE_FLOAT, {64}, creation);
    H5Pclose(creation);
    const hid_t dataset = H5Dopen2(file_, "x", H5P_DEFAULT);
    const hsize_t offset = 0;
    ASSERT_GE(H5Dwrite_chunk(dataset, H5P_DEFAULT, skipped_filters, &offset,
                             bytes.size(), bytes.data()),
              0);
    H5Dclose(dataset);
  }

  static std::string zipped(const std::string& bytes) {
    std::string result(compressBound(bytes.size()), '\0');
    uLongf size = result.size();
    compress(reinterpret_cast<Bytef*>(result.data()), &size,
             reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    return result.substr(0, size);
  }
};

TEST_F(HostileChunkTest, AWholeChunkIsRead) {
  write_chunk(zipped(std::string(256, '\0')), 0);
  H5Fclose(file_);
  const auto entry = Hdf5Reader(path_).read("x");
  EXPECT_THAT(std::get<Array>(*entry),
              IsArray(array::zeros({64}, Dtype::kFloat32)));
}

TEST_F(HostileChunkTest, AChunkWithTooFewBytesIsRefused) {
  write_chunk(zipped("few"), 0);
  expect_refusal("x", "chunk");
}

TEST_F(HostileChunkTest, AChunkThatSkipsItsFiltersIsRefused) {
  write_chunk("few", 1);
  expect_refusal("x", "chunk");
}

TEST_F(HostileChunkTest, AChunkThatIsMissingIsRefused) {
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  const hsize_t extent = 4;
  H5Pset_chunk(creation, 1, &extent);
  add_dataset(H5T_NATIVE_FLOAT, {8}, creation);
  H5Pclose(creation);
  const hid_t dataset = H5Dopen2(file_, "x", H5P_DEFAULT);
  const hsize_t offset = 0;
  H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &offset, 16,
                 std::string(16, 'a').data());
  H5Dclose(dataset);
  expect_refusal("x", "chunk");
}

TEST_F(HostileHdf5Test, ATextWhoseChecksumIsWrongIsRefused) {
  H5Fclose(file_);
  Hdf5Writer writer(path_, 0);
  writer.write("x", std::string("some text"));
  writer.commit();
  file_ = H5Fopen(path_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  H5Adelete_by_name(file_, "x", "crc32", H5P_DEFAULT);
  const hid_t space = H5Screate(H5S_SCALAR);
  const hid_t attribute =
      H5Acreate_by_name(file_, "x", "crc32", H5T_STD_U32LE, space, H5P_DEFAULT,
                        H5P_DEFAULT, H5P_DEFAULT);
  const uint32_t wrong = 1;
  ASSERT_GE(H5Awrite(attribute, H5T_NATIVE_UINT32, &wrong), 0);
  H5Sclose(space);
  H5Aclose(attribute);
  expect_refusal("x", "expected text with checksum 1");
}

TEST_F(HostileHdf5Test, SeveralTextsAreRefused) {
  add_dataset(H5T_C_S1, {2});
  expect_refusal("x", "expected one text, got several");
}

}  // namespace
}  // namespace catena::serializers
