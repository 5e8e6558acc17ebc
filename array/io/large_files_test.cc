// Files read and written in place or in pieces.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/io/npy.h"
#include "catena/array/io/npy_map.h"
#include "catena/array/io/npy_writer.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::array {
namespace {

using ::catena::testing::error_of;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::IsArray;
using testing::TempFolder;
using testing::write_file;

class LargeFilesTest : public ::testing::Test {
 protected:
  std::string file(const std::string& name = "x.npy") const {
    return folder_.file(name);
  }
  // A file with this header's dictionary.
  std::string write(std::string dictionary, const std::string& data) const {
    dictionary.resize(117, ' ');
    dictionary += '\n';
    write_file(file(), std::string("\x93NUMPY\x01\x00", 8) +
                           static_cast<char>(dictionary.size()) + '\0' +
                           dictionary + data);
    return file();
  }
  TempFolder folder_;
};

TEST_F(LargeFilesTest, AMappedFileIsTheArray) {
  const Array a = arange(24).reshape({2, 3, 4});
  save_npy(file(), a);
  const Array mapped = map_npy(file());
  EXPECT_THAT(mapped, IsArray(a));
  EXPECT_THAT(mapped + 1, IsArray(arange(1, 25).reshape({2, 3, 4})));
  save_npy(file(), zeros({0, 3}));
  EXPECT_THAT(map_npy(file()), IsArray(zeros({0, 3})));
}

TEST_F(LargeFilesTest, WritesStayInTheProcessUnlessShared) {
  save_npy(file(), array({1, 2, 3}));
  {
    const Array mapped = map_npy(file());
    mapped[1].fill(7);
    EXPECT_THAT(mapped, IsArray(array({1, 7, 3})));
    EXPECT_THAT(load_npy(file()), IsArray(array({1, 2, 3})));
  }
  const Array shared = map_npy(file(), MapMode::kReadWrite);
  shared[1].fill(7);
  EXPECT_THAT(load_npy(file()), IsArray(array({1, 7, 3})));
}

TEST_F(LargeFilesTest, TheMappingLastsAsLongAsAView) {
  save_npy(file(), arange(1000));
  std::optional<Array> mapped = map_npy(file());
  const Array view = (*mapped)[{Slice(500, 503)}];
  mapped.reset();
  std::filesystem::remove(file());
  EXPECT_THAT(view, IsArray(array({500, 501, 502})));
}

TEST_F(LargeFilesTest, FortranOrderIsAView) {
  const Array mapped = map_npy(
      write("{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3), }",
            "\x01\x02\x03\x04\x05\x06"));
  EXPECT_THAT(mapped, IsArray(array({{1, 3, 5}, {2, 4, 6}}, Dtype::kInt8)));
  EXPECT_EQ(mapped.strides(), Strides({1, 2}));
}

TEST_F(LargeFilesTest, BoolsAreZeroAndOne) {
  const Array a = array({1, 0, 1}).astype(Dtype::kBool);
  save_npy(file(), a);
  EXPECT_THAT(map_npy(file()), IsArray(a));
}

TEST_F(LargeFilesTest, RefusesWhatOnlyACopyCanRepresent) {
  const auto expect_error = [&](const std::string& path, const char* message) {
    EXPECT_THAT(error_of<IoError>([&] { map_npy(path); }),
                AllOf(HasSubstr("map_npy: "), HasSubstr(message)));
  };
  expect_error(write("{'descr': '>i2', 'fortran_order': False, 'shape': (1,)}",
                     std::string("\0\1", 2)),
               "this machine's byte order");
  expect_error(
      write("{'descr': '|b1', 'fortran_order': False, 'shape': (1,)}", "\x02"),
      "a bool of 0 or 1");
  expect_error(
      write("{'descr': '|S3', 'fortran_order': False, 'shape': (1,)}", "abc"),
      "expected numbers");
  // A header that ends at byte 129.
  std::string dictionary =
      "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}";
  dictionary.resize(118, ' ');
  write_file(file(), std::string("\x93NUMPY\x01\x00", 8) +
                         static_cast<char>(119) + '\0' + dictionary + '\n' +
                         std::string(8, '\0'));
  expect_error(file(), "data at byte 129 of dtype float64");
  expect_error(file("missing.npy"), "cannot open");
  expect_error(write("{'descr': '<f8', 'fortran_order': False, 'shape': (9,)}",
                     "too short"),
               "72 bytes");
}

TEST_F(LargeFilesTest, ArraysAreWrittenInPieces) {
  const Array a = arange(6000).reshape({1000, 2, 3}).astype(Dtype::kFloat32);
  NpyWriter writer(file(), Dtype::kFloat32, {2, 3});
  writer.write(a[{Slice(0, 1)}]);
  EXPECT_FALSE(std::filesystem::exists(file()));
  writer.write(a[{Slice(1, 1)}]);
  writer.write(a[{Slice(1, 990)}]);
  writer.write(a[{Slice(999, 989, -1)}]);
  EXPECT_EQ(writer.rows(), 1000);
  writer.commit();
  const Array read = load_npy(file());
  EXPECT_THAT(read[{Slice(0, 990)}], IsArray(a[{Slice(0, 990)}]));
  EXPECT_THAT(read[{Slice(990, 1000)}], IsArray(a[{Slice(999, 989, -1)}]));
  EXPECT_THAT(map_npy(file()), IsArray(read));

  NpyWriter empty(file(), Dtype::kInt64, {});
  empty.commit();
  EXPECT_THAT(load_npy(file()), IsArray(zeros({0}, Dtype::kInt64)));
}

TEST_F(LargeFilesTest, RowsThatDoNotFitAreRefused) {
  NpyWriter writer(file(), Dtype::kFloat32, {3});
  EXPECT_THAT(error_of<ShapeError>([&] {
                writer.write(zeros({2, 4}, Dtype::kFloat32));
              }),
              HasSubstr("NpyWriter::write"));
  EXPECT_THAT(
      error_of<ShapeError>([&] { writer.write(zeros({}, Dtype::kFloat32)); }),
      HasSubstr("NpyWriter::write"));
  EXPECT_THROW(writer.write(zeros({2, 3})), DtypeError);
  EXPECT_EQ(writer.rows(), 0);
  EXPECT_THROW(NpyWriter(file(), Dtype::kBFloat16, {3}), DtypeError);
  EXPECT_THROW(NpyWriter(file(), Dtype::kInt8, {1, 1, 1, 1, 1, 1, 1, 1}),
               ShapeError);
}

}  // namespace
}  // namespace catena::array
