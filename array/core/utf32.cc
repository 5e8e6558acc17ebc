#include "catena/array/core/utf32.h"

#include <bit>

namespace catena::array {
namespace {

bool is_scalar_value(char32_t c) {
  return c < 0xd800 || (c >= 0xe000 && c <= 0x10ffff);
}

// The length in bytes of the sequence that starts with `lead`; 0 if invalid.
int sequence_length(unsigned char lead) {
  const int ones = std::countl_one(lead);
  if (ones == 0) return 1;
  return ones >= 2 && ones <= 4 ? ones : 0;
}

}  // namespace

void append_utf8(char32_t code, std::string& text) {
  if (code < 0x80) {
    text += static_cast<char>(code);
    return;
  }
  const int length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  const unsigned lead_bits = 0xf00u >> length & 0xffu;
  text += static_cast<char>(lead_bits | code >> (6 * (length - 1)));
  for (int i = length - 2; i >= 0; --i) {
    text += static_cast<char>(0x80u | (code >> (6 * i) & 0x3fu));
  }
}

std::optional<std::string> utf8_from_utf32(std::u32string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char32_t c : text) {
    if (!is_scalar_value(c)) return std::nullopt;
    append_utf8(c, result);
  }
  return result;
}

std::optional<std::u32string> utf32_from_utf8(std::string_view text) {
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};  // by length
  std::u32string result;
  result.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const int length = sequence_length(lead);
    if (length == 0 || text.size() - i < static_cast<size_t>(length)) {
      return std::nullopt;
    }
    char32_t c = length == 1 ? lead : lead & (0x7fu >> length);
    for (int k = 1; k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next & 0xc0u) != 0x80u) return std::nullopt;
      c = c << 6 | (next & 0x3fu);
    }
    if (!is_scalar_value(c) || c < kSmallest[length]) return std::nullopt;
    result += c;
    i += length;
  }
  return result;
}

}  // namespace catena::array
