#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace catena::datasets {

// A code point and its bytes in UTF-8.
struct Character {
  char32_t code;
  int32_t length;
};

inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// The first character of a text that is valid UTF-8.
inline Character first_character(const char* text) {
  const auto byte = [text](int i) {
    return static_cast<uint32_t>(static_cast<unsigned char>(text[i]));
  };
  const uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xE0) return {(lead & 0x1F) << 6 | (byte(1) & 0x3F), 2};
  if (lead < 0xF0) {
    return {(lead & 0xF) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F), 3};
  }
  return {(lead & 7) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 |
              (byte(3) & 0x3F),
          4};
}

// The last character of a text that is valid UTF-8 and not empty.
Character last_character(std::string_view text);

// What a text that need not be valid UTF-8 begins with.
struct Utf8Part {
  enum Kind : uint8_t {
    kCharacter,
    kBroken,      // bytes that begin no character
    kUnfinished,  // the same, at the end of the text: a character might follow
  };
  Kind kind;
  // Bytes of the character, or of the longest part of one (Unicode 3.9, D93b),
  // or the one byte that cannot be in a character.
  int32_t length;
};
Utf8Part first_part(std::string_view text);

// The bytes of a text up to the first that are no UTF-8.
size_t valid_utf8_size(std::string_view text);

// Appends a text with each broken part (Utf8Part) replaced by U+FFFD, as
// Unicode and the Encoding Standard recommend.
void append_valid_utf8(std::string_view text, std::string& to);

}  // namespace catena::datasets
