#include "catena/serializers/hdf5_checksums.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace catena::serializers::hdf5 {
namespace {

// As it is defined, one word after the other.
uint32_t sum_word_by_word(const std::string& bytes) {
  uint64_t first = 0;
  uint64_t second = 0;
  for (size_t i = 0; i < bytes.size(); i += 2) {
    const int low =
        i + 1 < bytes.size() ? static_cast<uint8_t>(bytes[i + 1]) : 0;
    first += static_cast<uint64_t>(static_cast<uint8_t>(bytes[i]) << 8 | low);
    second += first;
    for (uint64_t* sum : {&first, &second}) {
      while (*sum > 0xffff) *sum = (*sum & 0xffff) + (*sum >> 16);
    }
  }
  return static_cast<uint32_t>(second << 16 | first);
}

TEST(Fletcher32Test, IsTheSumOfWordsAndOfTheirSumsForAnyLength) {
  std::mt19937 random(1);
  std::string bytes;
  for (size_t size = 0; size < 3000; ++size) {
    EXPECT_EQ(fletcher32(bytes), sum_word_by_word(bytes)) << size;
    bytes.push_back(static_cast<char>(random()));
  }
}

TEST(Fletcher32Test, LargeWordsDoNotOverflow) {
  const std::string bytes(100'001, '\xff');
  EXPECT_EQ(fletcher32(bytes), sum_word_by_word(bytes));
}

TEST(Lookup3Test, IsThatOfItsAuthor) {
  EXPECT_EQ(lookup3(std::string()), 0xdeadbeef);
  EXPECT_EQ(lookup3(std::string("Four score and seven years ago")), 0x17770551);
}

}  // namespace
}  // namespace catena::serializers::hdf5
