#include "catena/serializers/hdf5_key.h"

namespace catena::serializers::hdf5 {
namespace {

bool is_plain(std::string_view part) {
  return !part.empty() && part != "." && part != ".." &&
         part.find('\0') == std::string_view::npos;
}

}  // namespace

std::optional<std::vector<std::string>> parts_of(std::string_view key) {
  std::vector<std::string> parts;
  while (true) {
    const size_t slash = key.find('/');
    if (!is_plain(key.substr(0, slash))) return std::nullopt;
    parts.emplace_back(key.substr(0, slash));
    if (slash == std::string_view::npos) return parts;
    key.remove_prefix(slash + 1);
  }
}

}  // namespace catena::serializers::hdf5
