#include "catena/array/kernels/philox.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace catena::array {
namespace {

std::array<uint32_t, 4> words_of(PhiloxWords words) {
  return {words.v[0], words.v[1], words.v[2], words.v[3]};
}

// The known answers published by the generator's authors for philox4x32-10.
TEST(PhiloxTest, GivesTheKnownAnswers) {
  EXPECT_EQ(words_of(philox({{0, 0, 0, 0}}, 0)),
            (std::array<uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c,
                                     0x9b00dbd8}));
  constexpr uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(words_of(philox({{kOnes, kOnes, kOnes, kOnes}}, ~uint64_t{0})),
            (std::array<uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6,
                                     0x6d5451fd}));
  EXPECT_EQ(words_of(philox({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
                            0x299f31d0a4093822)),
            (std::array<uint32_t, 4>{0xd16cfe09, 0x94fdcceb, 0x5001e420,
                                     0x24126ea1}));
}

TEST(PhiloxTest, A64BitCounterFillsTheLowWords) {
  const uint64_t counter = 0x0123456789abcdef;
  EXPECT_EQ(words_of(philox(counter, 7)),
            words_of(philox({{0x89abcdef, 0x01234567, 0, 0}}, 7)));
}

TEST(PhiloxTest, WorksInConstantExpressions) {
  static_assert(philox({{0, 0, 0, 0}}, 0).v[0] == 0x6627e8d5);
  SUCCEED();
}

}  // namespace
}  // namespace catena::array
