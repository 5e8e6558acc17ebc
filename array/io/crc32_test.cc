#include "catena/array/io/crc32.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <random>
#include <string>
#include <string_view>

namespace catena::array {
namespace {

uint32_t crc_of_zlib(std::string_view bytes, uint32_t before) {
  return static_cast<uint32_t>(
      crc32(before, reinterpret_cast<const Bytef*>(bytes.data()),
            static_cast<uInt>(bytes.size())));
}

// The check value of the catalogue of CRCs.
TEST(Crc32Test, IsThatOfZip) {
  EXPECT_EQ(crc32_of(std::string_view("123456789")), 0xcbf43926u);
  EXPECT_EQ(crc32_of({}), 0u);
}

// Long ones go another way than short ones.
TEST(Crc32Test, IsZlibsOfAnyNumberOfBytesAnywhere) {
  std::mt19937 random(1);
  std::string bytes(5000, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  for (size_t size = 0; size < 2000; ++size) {
    const size_t offset = random() % 64;
    const auto before = static_cast<uint32_t>(random());
    const std::string_view part = std::string_view(bytes).substr(offset, size);
    ASSERT_EQ(crc32_of(part, before), crc_of_zlib(part, before))
        << size << " bytes at " << offset;
  }
}

TEST(Crc32Test, GoesOnWhereAnotherEnded) {
  std::string bytes(1 << 20, '\1');
  bytes.back() = 'x';
  for (const size_t first : {1, 300, 1000, 999'999}) {
    const uint32_t before = crc32_of(std::string_view(bytes).substr(0, first));
    EXPECT_EQ(crc32_of(std::string_view(bytes).substr(first), before),
              crc_of_zlib(bytes, 0));
  }
}

}  // namespace
}  // namespace catena::array
