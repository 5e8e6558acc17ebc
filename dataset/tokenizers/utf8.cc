#include "catena/dataset/tokenizers/utf8.h"

#include <cstring>

namespace catena::datasets {

Character last_character(std::string_view text) {
  size_t begin = text.size() - 1;
  while ((static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) --begin;
  return first_character(text.data() + begin);
}

Utf8Part first_part(std::string_view text) {
  const auto byte = [text](size_t i) {
    return static_cast<unsigned char>(text[i]);
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {Utf8Part::kCharacter, 1};
  const int32_t length = lead < 0xC2   ? 0
                         : lead < 0xE0 ? 2
                         : lead < 0xF0 ? 3
                         : lead < 0xF5 ? 4
                                       : 0;
  if (length == 0) return {Utf8Part::kBroken, 1};
  // The second byte also excludes longer forms than needed, surrogates and what
  // is above U+10FFFF.
  unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  for (int32_t i = 1; i < length; ++i) {
    const auto place = static_cast<size_t>(i);
    if (place == text.size()) return {Utf8Part::kUnfinished, i};
    if (byte(place) < low || byte(place) > high) return {Utf8Part::kBroken, i};
    low = 0x80;
    high = 0xBF;
  }
  return {Utf8Part::kCharacter, length};
}

size_t valid_utf8_size(std::string_view text) {
  size_t place = 0;
  while (place < text.size()) {
    // Eight characters of ASCII at a time.
    uint64_t eight;
    while (place + sizeof eight <= text.size()) {
      std::memcpy(&eight, text.data() + place, sizeof eight);
      if ((eight & 0x8080808080808080) != 0) break;
      place += sizeof eight;
    }
    if (place == text.size()) break;
    const Utf8Part part = first_part(text.substr(place));
    if (part.kind != Utf8Part::kCharacter) break;
    place += static_cast<size_t>(part.length);
  }
  return place;
}

void append_valid_utf8(std::string_view text, std::string& to) {
  for (;;) {
    const size_t valid = valid_utf8_size(text);
    to += text.substr(0, valid);
    text.remove_prefix(valid);
    if (text.empty()) return;
    to += kReplacement;
    text.remove_prefix(static_cast<size_t>(first_part(text).length));
  }
}

}  // namespace catena::datasets
