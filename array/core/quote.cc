#include "catena/array/core/quote.h"

#include "catena/array/core/utf32.h"

namespace catena::array {

std::string quote(std::string_view text, size_t max) {
  constexpr char kDigits[] = "0123456789abcdef";
  const auto is_continuation = [](char c) { return (c & 0xc0) == 0x80; };
  std::string_view shown = text.substr(0, max);
  if (shown.size() < text.size() && is_continuation(text[shown.size()])) {
    while (!shown.empty() && is_continuation(shown.back())) {
      shown.remove_suffix(1);
    }
    if (!shown.empty()) shown.remove_suffix(1);  // the sequence's first byte
  }
  const bool is_utf8 = utf32_from_utf8(shown).has_value();
  std::string result = "'";
  for (const char c : shown) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f || (byte >= 0x80 && !is_utf8)) {
      result += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    } else {
      result += c;
    }
  }
  result += shown.size() < text.size() ? "...'" : "'";
  return result;
}

}  // namespace catena::array
