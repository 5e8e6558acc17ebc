#include "catena/array/io/zip_format.h"

#include <algorithm>

namespace catena::array {

std::string_view zip_name_fault(std::string_view name) {
  if (name.empty()) return "an empty name";
  if (name.front() == '/' || name.front() == '\\') return "an absolute path";
  if (name.find('\0') != std::string_view::npos) return "a zero character";
  for (std::string_view rest = name; !rest.empty();) {
    const size_t end = std::min(rest.find_first_of("/\\"), rest.size());
    if (rest.substr(0, end) == "..") return "a path with '..'";
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

}  // namespace catena::array
