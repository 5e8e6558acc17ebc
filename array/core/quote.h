#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace catena::array {

// Quotes text from a file for printing: at most `max` bytes, with control
// characters and invalid UTF-8 escaped as \x01.
std::string quote(std::string_view text, size_t max = 200);

// Quotes a file name in full.
inline std::string quote_path(std::string_view path) {
  return quote(path, path.size());
}

}  // namespace catena::array
