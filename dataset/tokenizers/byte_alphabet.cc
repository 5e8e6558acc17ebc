#include "catena/dataset/tokenizers/byte_alphabet.h"

#include <array>

#include "catena/array/core/utf32.h"
#include "catena/dataset/tokenizers/utf8.h"

namespace catena::datasets {
namespace {

constexpr char32_t kFirstOther = 0x100;
constexpr char32_t kOthers = 68;

constexpr bool is_itself(int byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) ||
         byte >= 0xAE;
}

struct Alphabet {
  std::array<char32_t, 256> letters;        // of bytes
  std::array<unsigned char, 68> others;     // bytes of U+0100 and so on
  std::array<unsigned char, 256> in_order;  // bytes in the order of letters
};

constexpr Alphabet kAlphabet = [] {
  Alphabet alphabet = {};
  size_t selves = 0;
  size_t others = 0;
  for (int byte = 0; byte < 256; ++byte) {
    const auto place = static_cast<size_t>(byte);
    const auto value = static_cast<unsigned char>(byte);
    if (is_itself(byte)) {
      alphabet.letters[place] = static_cast<char32_t>(byte);
      alphabet.in_order[selves++] = value;
    } else {
      alphabet.letters[place] = kFirstOther + static_cast<char32_t>(others);
      alphabet.others[others++] = value;
    }
  }
  for (size_t i = 0; i < others; ++i) {
    alphabet.in_order[selves + i] = alphabet.others[i];
  }
  return alphabet;
}();

}  // namespace

std::string to_byte_alphabet(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    array::append_utf8(kAlphabet.letters[static_cast<unsigned char>(c)], text);
  }
  return text;
}

std::optional<std::string> from_byte_alphabet(std::string_view text) {
  std::string bytes;
  for (size_t i = 0; i < text.size();) {
    const Character character = first_character(text.data() + i);
    i += static_cast<size_t>(character.length);
    const char32_t code = character.code;
    if (code < kFirstOther && is_itself(static_cast<int>(code))) {
      bytes += static_cast<char>(code);
    } else if (code >= kFirstOther && code < kFirstOther + kOthers) {
      bytes += static_cast<char>(kAlphabet.others[code - kFirstOther]);
    } else {
      return std::nullopt;
    }
  }
  return bytes;
}

unsigned char byte_of_gpt2(int place) {
  return kAlphabet.in_order[static_cast<size_t>(place)];
}

}  // namespace catena::datasets
