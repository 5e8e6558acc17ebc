#include "catena/serializers/hdf5_checksums.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace catena::serializers::hdf5 {
namespace {

// The state of lookup3.
struct Words {
  uint32_t a, b, c;

  void add(std::span<const char> block) {
    a += word(block, 0);
    b += word(block, 4);
    c += word(block, 8);
  }

  void mix() {
    stir(a, c, b, 4);
    stir(b, a, c, 6);
    stir(c, b, a, 8);
    stir(a, c, b, 16);
    stir(b, a, c, 19);
    stir(c, b, a, 4);
  }

  void finish() {
    settle(c, b, 14);
    settle(a, c, 11);
    settle(b, a, 25);
    settle(c, b, 16);
    settle(a, c, 4);
    settle(b, a, 14);
    settle(c, b, 24);
  }

 private:
  // Four bytes, the lowest first; those beyond the end are zero.
  static uint32_t word(std::span<const char> block, size_t begin) {
    uint32_t value = 0;
    if (std::endian::native == std::endian::little &&
        block.size() >= begin + sizeof(value)) {
      std::memcpy(&value, block.data() + begin, sizeof(value));
      return value;
    }
    for (size_t i = begin; i < std::min(begin + 4, block.size()); ++i) {
      value |= uint32_t{static_cast<uint8_t>(block[i])} << 8 * (i - begin);
    }
    return value;
  }
  static void stir(uint32_t& x, uint32_t& y, uint32_t z, int bits) {
    x -= y;
    x ^= std::rotl(y, bits);
    y += z;
  }
  static void settle(uint32_t& x, uint32_t y, int bits) {
    x ^= y;
    x -= std::rotl(y, bits);
  }
};

// A sum modulo 2^16 - 1, in 16 bits; the result is 0 only for sum 0.
uint64_t fold(uint64_t sum) {
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return sum;
}

// The sum of words of 16 bits, and the sum of all sums so far, modulo 2^16 - 1.
class Fletcher {
 public:
  static constexpr size_t kLanes = 16;
  static constexpr size_t kRows = 16;
  static constexpr size_t kWords = kLanes * kRows;  // no sum exceeds 32 bits

  void add(uint64_t word) {
    first_ += word;
    second_ += first_;
  }

  // As add(word) for kWords words, the high byte first. Lanes sum up every 16th
  // word, so that compilers use vectors: a word in row r and lane l is in
  // `second_` kLanes * (kRows - r) - l times.
  void add_words(const char* bytes) {
    uint32_t first[kLanes] = {};
    uint32_t second[kLanes] = {};
    for (size_t row = 0; row < kRows; ++row) {
      uint16_t words[kLanes];
      std::memcpy(words, bytes + 2 * kLanes * row, sizeof(words));
      for (size_t lane = 0; lane < kLanes; ++lane) {
        const uint16_t word = words[lane];
        first[lane] += std::endian::native == std::endian::little
                           ? static_cast<uint16_t>(word << 8 | word >> 8)
                           : word;
        second[lane] += first[lane];
      }
    }
    second_ += kWords * first_;
    for (size_t lane = 0; lane < kLanes; ++lane) {
      first_ += first[lane];
      second_ += kLanes * uint64_t{second[lane]} - lane * first[lane];
    }
    first_ = fold(first_);
    second_ = fold(second_);
  }

  uint32_t result() const {
    return static_cast<uint32_t>(fold(second_) << 16 | fold(first_));
  }

 private:
  uint64_t first_ = 0;
  uint64_t second_ = 0;
};

}  // namespace

uint32_t lookup3(std::span<const char> bytes) {
  constexpr size_t kBlock = 12;
  const uint32_t start = 0xdeadbeef + static_cast<uint32_t>(bytes.size());
  Words words = {start, start, start};
  if (bytes.empty()) return words.c;
  for (; bytes.size() > kBlock; bytes = bytes.subspan(kBlock)) {
    words.add(bytes.first(kBlock));
    words.mix();
  }
  words.add(bytes);
  words.finish();
  return words.c;
}

uint32_t fletcher32(std::span<const char> bytes) {
  Fletcher sums;
  for (; bytes.size() >= 2 * Fletcher::kWords;
       bytes = bytes.subspan(2 * Fletcher::kWords)) {
    sums.add_words(bytes.data());
  }
  for (size_t i = 0; i < bytes.size(); i += 2) {
    const auto high = static_cast<uint8_t>(bytes[i]);
    const auto low =
        i + 1 < bytes.size() ? static_cast<uint8_t>(bytes[i + 1]) : uint8_t{0};
    sums.add(static_cast<uint64_t>(high << 8 | low));
  }
  return sums.result();
}

}  // namespace catena::serializers::hdf5
