#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace catena::datasets {

// The token of a byte where characters without a token become bytes: <0x0A>.
std::string token_of_byte(unsigned char byte);
// The byte of such a token.
std::optional<unsigned char> byte_of_token(std::string_view token);

}  // namespace catena::datasets
