#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace catena::datasets {

// What tables of words compare: up to 8 bytes of a word, or a hash of a longer
// one, whose bytes have to be compared besides.
struct WordKey {
  uint64_t key;
  uint32_t size;

  bool has_all() const { return size <= sizeof key; }
  // A number below 1 << bits.
  size_t place(int bits) const {
    const uint64_t mixed = (key ^ (uint64_t{size} << 59)) * 0x9E3779B97F4A7C15u;
    return static_cast<size_t>((mixed ^ mixed >> 29) * 0xBF58476D1CE4E5B9u >>
                               (64 - bits));
  }
  friend bool operator==(const WordKey&, const WordKey&) = default;
};

inline WordKey key_of(std::string_view word) {
  const auto load = [data = word.data()](size_t place, auto number) {
    std::memcpy(&number, data + place, sizeof number);
    return uint64_t{number};
  };
  const size_t size = word.size();
  uint64_t key = 0;
  if (size > 8) {
    // Whole words of eight bytes, the last of which overlap.
    for (size_t place = 0; place < size - 8; place += 8) {
      key = (key ^ load(place, uint64_t{})) * 0x9FB21C651E98DF25u;
      key ^= key >> 32;
    }
    key = (key ^ load(size - 8, uint64_t{})) * 0x9FB21C651E98DF25u;
    key ^= key >> 32;
  } else if (size >= 4) {
    key = load(0, uint32_t{}) | load(size - 4, uint32_t{}) << (size - 4) * 8;
  } else if (size >= 2) {
    key = load(0, uint16_t{}) | load(size - 2, uint16_t{}) << (size - 2) * 8;
  } else if (size == 1) {
    key = load(0, uint8_t{});
  }
  return {key, static_cast<uint32_t>(size)};
}

}  // namespace catena::datasets
