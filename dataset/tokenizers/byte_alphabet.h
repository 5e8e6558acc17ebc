#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace catena::datasets {

// Files write tokens of bytes in an alphabet of 256 letters: printable
// characters of Latin-1 are themselves, and the 68 other bytes are U+0100 to
// U+0143. A blank is Ġ, for example.

// Bytes in this alphabet.
std::string to_byte_alphabet(std::string_view bytes);

// The bytes of a text; nullopt if it has other letters.
std::optional<std::string> from_byte_alphabet(std::string_view text);

// The byte whose token has this place (0 to 255) in GPT-2's vocabulary: that of
// the alphabet's order.
unsigned char byte_of_gpt2(int place);

}  // namespace catena::datasets
