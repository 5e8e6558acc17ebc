#pragma once

#include <string>
#include <string_view>

namespace catena::training::html {

// Text escaped for use between tags and in quoted attributes. Control
// characters, which HTML does not allow, become question marks.
inline std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '"') {
      result += "&quot;";
    } else if (c == '\'') {
      result += "&#39;";
    } else if ((code < 0x20 && c != '\n' && c != '\t') || code == 0x7f) {
      result += '?';
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace catena::training::html
