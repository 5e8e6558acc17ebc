#pragma once

#include <string>
#include <string_view>

namespace catena::array {

// Text from a file between quotes, safe to print: about 200 bytes of it, with
// control characters, and whatever is not UTF-8, as \x01.
std::string quote(std::string_view text);

}  // namespace catena::array
