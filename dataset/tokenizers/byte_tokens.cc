#include "catena/dataset/tokenizers/byte_tokens.h"

namespace catena::datasets {
namespace {

std::optional<int> digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return std::nullopt;
}

}  // namespace

std::string token_of_byte(unsigned char byte) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  return {'<', '0', 'x', kDigits[byte >> 4], kDigits[byte & 15], '>'};
}

std::optional<unsigned char> byte_of_token(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>') {
    return std::nullopt;
  }
  const auto high = digit(token[3]);
  const auto low = digit(token[4]);
  if (!high || !low) return std::nullopt;
  return static_cast<unsigned char>(*high << 4 | *low);
}

}  // namespace catena::datasets
