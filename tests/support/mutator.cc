#include "catena/tests/support/mutator.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace catena::testing {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string Mutator::changed(std::string file, const std::string& other) {
  for (size_t left = 1 + below(4); left > 0; --left) change(file, other);
  return file;
}

uint64_t Mutator::unusual_number() {
  // Around powers of two, where lengths and signs overflow.
  const uint64_t power = uint64_t{1} << below(64);
  return one_of(std::array<uint64_t, 5>{power - 1, power, power + 1,
                                        uint64_t{0} - power, below(5)});
}

void Mutator::change(std::string& bytes, const std::string& other) {
  constexpr size_t kFew = 8;
  if (bytes.empty()) bytes += byte();
  const size_t at = below(bytes.size());
  switch (below(10)) {
    case 0:
      bytes[at] = byte();
      break;
    case 1:
    case 2:
      bytes[at] = static_cast<char>(bytes[at] ^ 1 << below(8));
      break;
    case 3:
      bytes.erase(at, 1 + below(kFew));
      break;
    case 4:
      bytes.insert(at, 1 + below(kFew), byte());
      break;
    case 5:
      change_number(bytes, at);
      break;
    case 6:
      change_digits(bytes, at);
      break;
    case 7:
      put(bytes, at, part_of(bytes));
      break;
    case 8:
      put(bytes, at, part_of(other));
      break;
    default:
      if (!words_.empty()) put(bytes, at, one_of(words_));
  }
}

std::string Mutator::part_of(const std::string& bytes) {
  constexpr size_t kLongest = 64;
  if (bytes.empty()) return bytes;
  // To the end of the file, too.
  const size_t longest = one_in(8) ? bytes.size() : kLongest;
  return bytes.substr(below(bytes.size()), 1 + below(longest));
}

void Mutator::put(std::string& bytes, size_t at, std::string_view part) {
  if (one_in(2)) {
    bytes.insert(at, part);
  } else {
    bytes.replace(at, part.size(), part);
  }
}

void Mutator::change_number(std::string& bytes, size_t at) {
  const size_t width = std::min(size_t{1} << below(4), bytes.size() - at);
  const bool is_big_endian = one_in(4);
  const auto place = [&](size_t i) -> char& {
    return bytes[at + (is_big_endian ? width - 1 - i : i)];
  };
  uint64_t number = 0;
  for (size_t i = 0; i < width; ++i) {
    number |= uint64_t{static_cast<uint8_t>(place(i))} << 8 * i;
  }
  switch (below(3)) {
    case 0:
      number += 1 + below(8);
      break;
    case 1:
      number -= 1 + below(8);
      break;
    default:
      number = unusual_number();
  }
  for (size_t i = 0; i < width; ++i) {
    place(i) = static_cast<char>(number >> 8 * i);
  }
}

void Mutator::change_digits(std::string& bytes, size_t at) {
  const auto begin = std::find_if(
      bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.end(), is_digit);
  const auto end = std::find_if_not(begin, bytes.end(), is_digit);
  if (begin == end) return;
  uint64_t number = 0;
  std::from_chars(&*begin, &*begin + (end - begin), number);
  number =
      one_of(std::array<uint64_t, 6>{number + 1, number - 1, 2 * number,
                                     number / 2, below(5), unusual_number()});
  bytes.replace(begin, end, std::to_string(number));
}

}  // namespace catena::testing
