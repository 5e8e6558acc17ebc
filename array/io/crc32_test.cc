#include "catena/array/io/crc32.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace catena::array {
namespace {

// The check value from the catalogue of CRCs.
TEST(Crc32Test, IsThatOfZip) {
  EXPECT_EQ(crc32_of(std::string_view("123456789")), 0xcbf43926u);
  EXPECT_EQ(crc32_of({}), 0u);
}

TEST(Crc32Test, GoesOnWhereAnotherEnded) {
  std::string bytes(1 << 20, '\1');
  bytes.back() = 'x';
  for (const size_t first : {1, 300, 1000, 999'999}) {
    const uint32_t before = crc32_of(std::string_view(bytes).substr(0, first));
    EXPECT_EQ(crc32_of(std::string_view(bytes).substr(first), before),
              crc32_of(bytes));
  }
}

}  // namespace
}  // namespace catena::array
