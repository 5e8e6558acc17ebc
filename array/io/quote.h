#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace catena::array {

// Text from a file between quotes, safe to print: at most `max` bytes of it,
// with control characters, and whatever is not UTF-8, as \x01.
std::string quote(std::string_view text, size_t max = 200);

// The name of a file, which helps nobody unless it is whole.
inline std::string quote_path(std::string_view path) {
  return quote(path, path.size());
}

}  // namespace catena::array
