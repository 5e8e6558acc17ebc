#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "catena/array/creation.h"
#include "catena/array/error.h"
#include "catena/dataset/idx.h"
#include "catena/tests/support/array_matchers.h"
#include "catena/tests/support/gzip.h"
#include "catena/tests/support/mutations.h"
#include "catena/tests/support/temp_folder.h"

namespace catena::dataset {
namespace {

using array::array;
using ::testing::AllOf;
using testing::gzip;
using ::testing::HasSubstr;
using testing::IsArray;
using testing::TempFolder;
using ::testing::ThrowsMessage;
using testing::write_file;

std::string idx(const std::string& header, const std::string& data) {
  return std::string("\0\0", 2) + header + data;
}

// uint8 of shape (2, 3).
const std::string kSmall = idx(std::string("\x08\x02\0\0\0\x02\0\0\0\x03", 10),
                               "\x01\x02\x03\x04\x05\x06");

class FileFormatsTest : public ::testing::Test {
 protected:
  std::string write(const std::string& bytes) const {
    write_file(folder.file("file"), bytes);
    return folder.file("file");
  }
  TempFolder folder;
};

using IdxTest = FileFormatsTest;

TEST_F(IdxTest, ReadsPlainAndCompressedFiles) {
  const Array expected = array({{1, 2, 3}, {4, 5, 6}}, Dtype::kUInt8);
  EXPECT_THAT(read_idx(write(kSmall)), IsArray(expected));
  EXPECT_THAT(read_idx(write(gzip(kSmall))), IsArray(expected));
  EXPECT_THAT(
      read_idx(write(gzip(kSmall.substr(0, 7)) + gzip(kSmall.substr(7)))),
      IsArray(expected));
}

TEST_F(IdxTest, ReadsEveryDtypeAsBigEndian) {
  const auto read = [&](char code, const std::string& data) {
    return read_idx(write(idx(code + std::string("\x01\0\0\0\x01", 5), data)));
  };
  EXPECT_THAT(read('\x09', "\xff"), IsArray(array({-1}, Dtype::kInt8)));
  EXPECT_THAT(read('\x0b', "\x01\x02"), IsArray(array({258}, Dtype::kInt16)));
  EXPECT_THAT(read('\x0c', std::string("\0\x01\0\0", 4)),
              IsArray(array({65536}, Dtype::kInt32)));
  EXPECT_THAT(read('\x0d', std::string("\x3f\xc0\0\0", 4)),
              IsArray(array({1.5}, Dtype::kFloat32)));
  EXPECT_THAT(read('\x0e', std::string("\xc0\x04\0\0\0\0\0\0", 8)),
              IsArray(array({-2.5})));
}

TEST_F(IdxTest, ReadsEmptyArrays) {
  const Array empty =
      read_idx(write(idx(std::string("\x08\x02\0\0\0\0\0\0\0\x03", 10), "")));
  EXPECT_EQ(empty.shape(), (Shape{0, 3}));
}

TEST_F(IdxTest, NamesTheFileAndWhatIsWrong) {
  const std::string path = folder.file("missing");
  EXPECT_THAT([&] { read_idx(path); }, ThrowsMessage<IoError>(HasSubstr(path)));
  const auto expect_error = [&](const std::string& bytes, const char* message) {
    const std::string file = write(bytes);
    EXPECT_THAT([&] { read_idx(file); },
                ThrowsMessage<IoError>(
                    AllOf(HasSubstr("read_idx: "), HasSubstr(message))));
  };
  expect_error("", "truncated: expected 4 more bytes at 0, got 0");
  expect_error("PK\x03\x04", "two zero bytes, got 80 and 75");
  expect_error(idx(std::string("\x07\x01\0\0\0\x01", 6), "x"),
               "dtype (8, 9, 11, 12, 13 or 14), got 7");
  expect_error(idx(std::string("\x08\0", 2), ""), "1 to 8 axes, got 0");
  expect_error(idx("\x08\x09", std::string(40, '\1')), "1 to 8 axes, got 9");
  expect_error(kSmall.substr(0, 9), "truncated");
  expect_error(kSmall.substr(0, kSmall.size() - 1),
               "got uint8 of shape (2, 3)");
  expect_error(kSmall + "x", "expected the end after uint8 of shape (2, 3)");
  expect_error(gzip(kSmall + "x"), "expected the end");
}

TEST_F(IdxTest, HugeExtentsAreRefusedBeforeTheyAreAllocated) {
  const std::string huge =
      idx("\x0e\x03" + std::string(12, '\xff'), std::string(100, '\0'));
  for (const std::string& bytes : {huge, gzip(huge)}) {
    const std::string file = write(bytes);
    EXPECT_THAT([&] { read_idx(file); },
                ThrowsMessage<IoError>(
                    HasSubstr("got float64 of shape (4294967295, 4294967295")));
  }
  // 4 GiB that a file of 30 bytes cannot hold, even compressed.
  const std::string large =
      gzip(idx(std::string("\x08\x01\xff\xff\xff\xff", 6), "xx"));
  const std::string file = write(large);
  EXPECT_THROW(read_idx(file), IoError);
}

TEST_F(IdxTest, KeepsTheLimits) {
  const std::string file = write(kSmall);
  EXPECT_NO_THROW(read_idx(file, {.array_bytes = 6}));
  EXPECT_THROW(read_idx(file, {.array_bytes = 5}), IoError);
  EXPECT_THROW(read_idx(file, {.dims = 1}), IoError);
  EXPECT_THROW(read_idx(file, {.file_bytes = 10}), IoError);
}

TEST_F(IdxTest, DamagedGzipIsAnError) {
  const std::string good = gzip(kSmall);
  const auto expect_error = [&](const std::string& bytes, const char* message) {
    const std::string file = write(bytes);
    EXPECT_THAT([&] { read_idx(file); },
                ThrowsMessage<IoError>(HasSubstr(message)));
  };
  for (size_t size = 2; size < good.size(); ++size) {
    const std::string file = write(good.substr(0, size));
    EXPECT_THROW(read_idx(file), IoError) << size;
  }
  expect_error(good.substr(0, good.size() - 4), "truncated");
  expect_error(good + "trailing", "unexpected bytes after the gzip data");
  std::string wrong_crc = good;
  wrong_crc[good.size() - 8] ^= 1;
  expect_error(wrong_crc, "damaged gzip data");
}

TEST_F(IdxTest, MutatedFilesNeverCrash) {
  const auto read = [&](const std::string& bytes) { read_idx(write(bytes)); };
  testing::expect_no_harm_by_mutations(kSmall, read);
  testing::expect_no_harm_by_mutations(gzip(kSmall), read);
}

}  // namespace
}  // namespace catena::dataset
