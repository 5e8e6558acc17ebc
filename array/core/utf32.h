#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace catena::array {

// Appends a code point, at most U+10FFFF and no surrogate, in UTF-8.
void append_utf8(char32_t code, std::string& text);

// Converts code points to UTF-8; nullopt if one is a surrogate or above
// U+10FFFF.
std::optional<std::string> utf8_from_utf32(std::u32string_view text);

// The code points of UTF-8 text; nullopt if it is malformed: broken or overlong
// sequences, surrogates, values above U+10FFFF.
std::optional<std::u32string> utf32_from_utf8(std::string_view text);

}  // namespace catena::array
