#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/dataset/idx.h"
#include "catena/dataset/mat_file.h"
#include "catena/dataset/tar_reader.h"
#include "catena/dataset/testing/file_builders.h"
#include "catena/tests/support/gzip.h"
#include "catena/tests/support/memory_file.h"
#include "catena/tests/support/mutations.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::dataset {
namespace {

using array::array;
using ::catena::testing::error_of;
using ::testing::AllOf;
using testing::ByteOrder;
using ::testing::ElementsAre;
using testing::gzip;
using ::testing::HasSubstr;
using testing::IsArray;
using testing::MatBuilder;
using ::testing::Pair;
using testing::tar_end;
using testing::tar_member;
using testing::TempFolder;

std::string idx(const std::string& header, const std::string& data) {
  return std::string("\0\0", 2) + header + data;
}

// uint8 of shape (2, 3).
const std::string kSmall = idx(std::string("\x08\x02\0\0\0\x02\0\0\0\x03", 10),
                               "\x01\x02\x03\x04\x05\x06");

class FileFormatsTest : public ::testing::Test {
 protected:
  std::string write(const std::string& bytes) const {
    return file.with(reinterpret_cast<const uint8_t*>(bytes.data()),
                     bytes.size());
  }
  const testing::MemoryFile file;
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
  EXPECT_THAT(error_of<IoError>([&] { read_idx(path); }), HasSubstr(path));
  const auto expect_error = [&](const std::string& bytes, const char* message) {
    const std::string file = write(bytes);
    EXPECT_THAT(error_of<IoError>([&] { read_idx(file); }),
                AllOf(HasSubstr("read_idx: "), HasSubstr(message)));
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
    EXPECT_THAT(error_of<IoError>([&] { read_idx(file); }),
                HasSubstr("got float64 of shape (4294967295, 4294967295"));
  }
  // 4 GiB that a file of 30 bytes cannot hold, even compressed.
  const std::string large =
      gzip(idx(std::string("\x08\x01\xff\xff\xff\xff", 6), "xx"));
  const std::string file = write(large);
  EXPECT_THROW(read_idx(file), IoError);
}

TEST_F(IdxTest, AnExtentOfZeroDoesNotHideHugeOnes) {
  const std::string file =
      write(idx("\x08\x04", std::string(4, '\0') + std::string(12, '\xff')));
  EXPECT_THAT(error_of<IoError>([&] { read_idx(file); }),
              HasSubstr("of shape (0, 4294967295, "));
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
    EXPECT_THAT(error_of<IoError>([&] { read_idx(file); }), HasSubstr(message));
  };
  for (size_t size = 2; size < good.size(); ++size) {
    const std::string file = write(good.substr(0, size));
    EXPECT_THROW(read_idx(file), IoError) << size;
  }
  expect_error(good.substr(0, good.size() - 4), "truncated");
  expect_error(good + "trailing", "unexpected bytes after the gzip data");
  std::string wrong_crc = good;
  wrong_crc[good.size() - 8] ^= 1;
  expect_error(wrong_crc, "data is damaged before offset");
}

TEST_F(IdxTest, MutatedFilesNeverCrash) {
  const auto read = [&](const std::string& bytes) { read_idx(write(bytes)); };
  testing::expect_no_harm_by_mutations(kSmall, read);
  testing::expect_no_harm_by_mutations(gzip(kSmall), read);
}

using TarTest = FileFormatsTest;

std::vector<std::pair<std::string, std::string>> read_tar(
    const std::string& path, const LoadLimits& limits = {}) {
  TarReader archive(path, "read_tar", limits);
  std::vector<std::pair<std::string, std::string>> files;
  while (const auto member = archive.next()) {
    std::string data(static_cast<size_t>(member->bytes), '\0');
    archive.read(data);
    files.emplace_back(member->name, data);
  }
  return files;
}

// A member with another field in its header, and the checksum of that.
std::string with_field(std::string member, size_t offset,
                       const std::string& text) {
  member.replace(offset, text.size(), text);
  member.replace(148, 8, "        ");
  unsigned sum = 0;
  for (const char byte : member.substr(0, 512)) {
    sum += static_cast<unsigned char>(byte);
  }
  for (size_t i = 6; i-- > 0; sum /= 8) {
    member[148 + i] = static_cast<char>('0' + sum % 8);
  }
  return member;
}

const std::string kTar = tar_member("folder/", "", '5') +
                         tar_member("folder/a.bin", "abc") +
                         tar_member("link", "", '2') +
                         tar_member("b", std::string(600, 'b')) + tar_end();

TEST_F(TarTest, GivesTheFilesOfAnArchive) {
  const auto expected = ElementsAre(Pair("folder/a.bin", "abc"),
                                    Pair("b", std::string(600, 'b')));
  EXPECT_THAT(read_tar(write(kTar)), expected);
  EXPECT_THAT(read_tar(write(gzip(kTar))), expected);
}

TEST_F(TarTest, ReadsHeadersOfEveryMake) {
  const std::string member = tar_member("name", "abc");
  // A long name has its beginning in another field, if the header is POSIX's.
  const std::string prefixed = with_field(member, 345, "folder");
  const std::string old = with_field(prefixed, 257, std::string(6, '\0'));
  const std::string no_type = with_field(member, 156, std::string(1, '\0'));
  const std::string blanks = with_field(member, 124, "          3 ");
  EXPECT_THAT(read_tar(write(prefixed + old + no_type + blanks + tar_end())),
              ElementsAre(Pair("folder/name", "abc"), Pair("name", "abc"),
                          Pair("name", "abc"), Pair("name", "abc")));
}

TEST_F(TarTest, WhatIsNotReadIsLeftOut) {
  TarReader archive(write(kTar), "read_tar");
  EXPECT_EQ(archive.next()->name, "folder/a.bin");
  EXPECT_EQ(archive.next()->name, "b");
  std::string data(601, '\0');
  EXPECT_THAT(
      error_of<IoError>([&] { archive.read(data); }),
      HasSubstr("expected a file with 601 more bytes, got one with 600"));
}

TEST_F(TarTest, DamageIsAnError) {
  const auto expect_error = [&](const std::string& bytes, const char* message) {
    const std::string path = write(bytes);
    EXPECT_THAT(error_of<IoError>([&] { read_tar(path); }),
                AllOf(HasSubstr("read_tar: "), HasSubstr(message)));
  };
  expect_error("not an archive", "truncated");
  expect_error(std::string(512, 'x'), "expected a tar archive");
  expect_error(kTar.substr(0, 1400), "truncated");
  std::string renamed = kTar;
  renamed[3] = 'X';
  expect_error(renamed, "expected a tar archive");
  // Half a gigabyte in an archive of two blocks.
  const std::string member = tar_member("a", "");
  expect_error(with_field(member, 124, "04000000000") + tar_end(),
               "expected at most 1024 bytes");
  for (const std::string size : {"0000000000x", "           "}) {
    expect_error(with_field(member, 124, size) + tar_end(), ", got '");
  }
  testing::expect_no_harm_by_mutations(
      kTar, [&](const std::string& bytes) { read_tar(write(bytes)); });
}

using MatTest = FileFormatsTest;

// (2, 3): 1 3 5 over 2 4 6, in MATLAB's order.
std::string mat_values(const MatBuilder& mat) {
  return mat.matrix("X", 9, {2, 3}, mat.element(2, "\1\2\3\4\5\6"));
}

TEST_F(MatTest, ReadsEitherByteOrderCompressedOrNot) {
  const Array expected = array({{1, 3, 5}, {2, 4, 6}}, Dtype::kUInt8);
  for (const ByteOrder order : {ByteOrder::kLittle, ByteOrder::kBig}) {
    const MatBuilder mat(order);
    const auto plain = read_mat(write(mat.header() + mat_values(mat)));
    ASSERT_TRUE(plain.contains("X"));
    EXPECT_THAT(plain.at("X"), IsArray(expected));
    const auto compressed =
        read_mat(write(mat.header() + mat.compressed(mat_values(mat))));
    ASSERT_TRUE(compressed.contains("X"));
    EXPECT_THAT(compressed.at("X"), IsArray(expected));
  }
}

TEST_F(MatTest, ValuesHaveTheDtypeOfTheirClass) {
  const MatBuilder mat(ByteOrder::kBig);
  // Doubles stored as int16, then as int8 in the tag.
  const auto packed = read_mat(
      write(mat.header() +
            mat.matrix("a", 6, {3, 1},
                       mat.element(3, mat.number(1, 2) + mat.number(0xffff, 2) +
                                          mat.number(300, 2))) +
            mat.matrix("b", 6, {1, 2}, mat.small_element(1, "\1\xff")) +
            mat.matrix("c", 12, {1}, mat.element(5, mat.number(7, 4)))));
  EXPECT_THAT(packed.at("a"), IsArray(array({{1.0}, {-1.0}, {300.0}})));
  EXPECT_THAT(packed.at("b"), IsArray(array({{1.0, -1.0}})));
  EXPECT_THAT(packed.at("c"), IsArray(array({7}, Dtype::kInt32)));
}

TEST_F(MatTest, ReadsEveryTypeOfNumbers) {
  struct Case {
    uint32_t type;
    uint32_t array_class;
    size_t bytes;
    Dtype dtype;
  };
  const MatBuilder mat(ByteOrder::kBig);
  for (const Case& c : {Case{1, 8, 1, Dtype::kInt8},
                        {2, 9, 1, Dtype::kUInt8},
                        {3, 10, 2, Dtype::kInt16},
                        {4, 11, 2, Dtype::kUInt16},
                        {5, 12, 4, Dtype::kInt32},
                        {6, 13, 4, Dtype::kUInt32},
                        {12, 14, 8, Dtype::kInt64},
                        {13, 15, 8, Dtype::kUInt64}}) {
    const auto read = read_mat(
        write(mat.header() +
              mat.matrix("a", c.array_class, {1},
                         mat.element(c.type, mat.number(7, c.bytes)))));
    ASSERT_TRUE(read.contains("a"));
    EXPECT_THAT(read.at("a"), IsArray(array({7}, c.dtype)));
  }
  const auto real = read_mat(write(
      mat.header() +
      mat.matrix("a", 7, {1}, mat.element(7, mat.number(0x3fc00000, 4)))));
  EXPECT_THAT(real.at("a"), IsArray(array({1.5}, Dtype::kFloat32)));
}

TEST_F(MatTest, OtherKindsOfVariablesAreLeftOut) {
  const MatBuilder mat;
  const auto read =
      read_mat(write(mat.header() + mat.matrix("text", 4, {1, 2}, "") +
                     mat.element(2, "something") + mat_values(mat)));
  EXPECT_EQ(read.size(), 1u);
  EXPECT_TRUE(read.contains("X"));
}

TEST_F(MatTest, NamesTheFileAndWhatIsWrong) {
  const MatBuilder mat;
  const auto expect_error = [&](const std::string& bytes, const char* message,
                                const LoadLimits& limits = {}) {
    const std::string path = write(bytes);
    EXPECT_THAT(error_of<IoError>([&] { read_mat(path, limits); }),
                AllOf(HasSubstr("read_mat: "), HasSubstr(message)));
  };
  const std::string header = mat.header();
  expect_error("short", "truncated");
  expect_error("\x89HDF" + header.substr(4), "got 7.3, which is HDF5");
  expect_error("MATLAB 7.3" + header.substr(10), "got 7.3, which is HDF5");
  expect_error(std::string(128, 'x'), "that begins with 'xxxx");
  expect_error(header + mat.matrix("X", 9, {}, mat.element(2, "a")),
               "expected 1 to 8 axes, got 0");
  expect_error(
      header + mat_values(mat) + mat.matrix("Y", 9, {1}, mat.element(2, "a")),
      "expected at most 1 arrays (LoadLimits::members)", {.members = 1});
  expect_error(header + mat.number(14, 4) + mat.number(100, 4),
               "an element of at most 0 bytes, got 100");
  expect_error(header + mat.matrix("X", 9, {2, 4}, mat.element(2, "abcdef")),
               "extents (4, 2) (the last one first), got 6");
  expect_error(header + mat.matrix("X", 9, {0xffffffff}, mat.element(2, "")),
               "expected no negative extent, got -1");
  const std::vector<uint32_t> huge = {0x7fffffff, 0x7fffffff, 0x7fffffff, 0};
  expect_error(header + mat.matrix("X", 9, huge, mat.element(2, "")),
               "extents (0, 2147483647, 2147483647, 2147483647)");
  const std::vector<uint32_t> many(9, 1);
  expect_error(header + mat.matrix("X", 9, many, mat.element(2, "a")),
               "expected 1 to 8 axes, got 9");
  expect_error(header + mat.matrix("X", 9, {1}, mat.element(99, "a")),
               "expected numbers, got type 99");
  expect_error(header + mat.element(14, mat.element(6, "abcd")),
               "expected 2 numbers as flags, got 1");
  expect_error(header + mat_values(mat), "expected at most 5 bytes",
               {.array_bytes = 5});
  expect_error(header + mat_values(mat) + mat_values(mat),
               "expected at most 11 bytes of arrays (LoadLimits::total_bytes)",
               {.total_bytes = 11});
  const std::string whole = header + mat.compressed(mat_values(mat));
  std::string wrong_sum = whole;
  wrong_sum.back() ^= 1;
  expect_error(wrong_sum, "the compressed data is damaged before offset");
}

TEST_F(MatTest, DamagedFilesNeverCrash) {
  const MatBuilder mat;
  const auto read = [&](const std::string& bytes) {
    read_mat(write(bytes), {.array_bytes = 1 << 20});
  };
  const std::string plain = mat.header() + mat_values(mat);
  const std::string compressed = mat.header() + mat.compressed(mat_values(mat));
  testing::expect_no_harm_by_mutations(plain, read);
  testing::expect_no_harm_by_mutations(compressed, read);
  for (size_t size = 129; size < compressed.size(); ++size) {
    EXPECT_THROW(read(compressed.substr(0, size)), IoError) << size;
  }
}

}  // namespace
}  // namespace catena::dataset
