#include "catena/tests/fuzzing/mend.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/io/npz.h"
#include "catena/tests/support/gzip.h"
#include "catena/tests/testing/temp_folder.h"

// Fuzz targets get libFuzzer's; the test has no need of it.
extern "C" size_t LLVMFuzzerMutate(uint8_t* /*data*/, size_t size,
                                   size_t /*max_size*/) {
  return size;
}

namespace catena::testing {
namespace {

using Mend = void (*)(std::span<uint8_t>);

std::string mended(std::string file, Mend mend) {
  mend(std::span(reinterpret_cast<uint8_t*>(file.data()), file.size()));
  return file;
}

// Where `part` stands in a file.
size_t find(const std::string& file, const std::string& part) {
  const size_t at = file.find(part);
  EXPECT_NE(at, std::string::npos);
  return at;
}

TEST(MendTest, AChangedMemberOfAZipIsReadAgain) {
  const TempFolder folder;
  const std::string path = folder.file("a.npz");
  for (const bool compression : {false, true}) {
    SCOPED_TRACE(compression);
    const array::NpzItems items = {{"a", array::zeros({4}, Dtype::kUInt8)}};
    if (compression) {
      array::savez_compressed(path, items);
    } else {
      array::savez(path, items);
    }
    std::string file = read_file(path);
    ASSERT_EQ(mended(file, mend_zip), file);
    if (compression) {
      file[14] = static_cast<char>(file[14] ^ 1);  // the CRC-32
    } else {
      file[find(file, "PK\1\2") - 1] = 7;  // the last element
    }
    EXPECT_THROW(array::NpzReader::from_bytes(file).read("a"), IoError);
    const std::string again = mended(file, mend_zip);
    EXPECT_EQ(
        array::NpzReader::from_bytes(again).read_array("a")[3].item<int>(),
        compression ? 0 : 7);
  }
}

TEST(MendTest, ChecksumsOfGzipAndPngAreRight) {
  const std::string file = gzip("some text");
  std::string changed = file;
  changed[file.size() - 8] ^= 1;
  changed[file.size() - 1] ^= 1;
  EXPECT_EQ(mended(changed, mend_gzip), file);
  const std::string png("\x89PNG\r\n\x1a\n\0\0\0\0IEND\xae\x42\x60\x82", 20);
  changed = png;
  changed[18] ^= 1;
  EXPECT_EQ(mended(changed, mend_png), png);
}

TEST(MendTest, ChecksumsOfTarAreRight) {
  // Two empty files.
  std::string header(512, '\0');
  header.replace(0, 1, "a");
  header.replace(124, 11, "00000000000");
  header.replace(148, 8, "        ");
  header.replace(156, 1, "0");
  header.replace(257, 5, "ustar");
  const std::string file = mended(header + header, mend_tar);
  // 'a', eleven zeros, eight spaces, '0' and "ustar": 1,488.
  EXPECT_EQ(file.substr(148, 8), std::string("002720\0 ", 8));
  EXPECT_EQ(file.substr(0, 512), file.substr(512));
  std::string changed = file;
  changed[150] ^= 1;
  EXPECT_EQ(mended(changed, mend_tar), file);
}

TEST(MendTest, LengthsOfHeadersAreRight) {
  const std::string npy("\x93NUMPY\1\0\6\0{   }\n", 16);
  std::string changed = npy;
  changed[8] = 99;
  EXPECT_EQ(mended(changed, mend_npy), npy);
  const std::string safetensors("\4\0\0\0\0\0\0\0{{}}rest", 16);
  changed = safetensors;
  changed[1] = 99;
  EXPECT_EQ(mended(changed, mend_safetensors), safetensors);
}

TEST(MendTest, OtherBytesStayAsTheyAre) {
  for (const Mend mend :
       {mend_zip, mend_gzip, mend_png, mend_tar, mend_npy, mend_safetensors}) {
    for (const std::string& file :
         {std::string(), std::string("PK"), std::string(100, 'x'),
          std::string("PK\5\6") + std::string(18, '\xff'),
          std::string("\x89PNG\r\n\x1a\n\xff\xff\xff\xff", 12),
          std::string("\x1f\x8b\x08\x08name without end")}) {
      EXPECT_EQ(mended(file, mend), file);
    }
  }
}

}  // namespace
}  // namespace catena::testing
