#include "catena/serializers/hdf5_checksums.h"

#include <algorithm>
#include <bit>

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
  uint64_t first = 0;
  uint64_t second = 0;
  constexpr size_t kWords = 256;  // so that the sums fit in 64 bits
  while (!bytes.empty()) {
    const auto some = bytes.first(std::min(bytes.size(), 2 * kWords));
    for (size_t i = 0; i < some.size(); i += 2) {
      const auto high = static_cast<uint8_t>(some[i]);
      const auto low =
          i + 1 < some.size() ? static_cast<uint8_t>(some[i + 1]) : uint8_t{0};
      first += static_cast<uint64_t>(high << 8 | low);
      second += first;
    }
    first = fold(first);
    second = fold(second);
    bytes = bytes.subspan(some.size());
  }
  return static_cast<uint32_t>(second << 16 | first);
}

}  // namespace catena::serializers::hdf5
