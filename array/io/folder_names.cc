#include "catena/array/io/folder_names.h"

#include <dirent.h>

#include <memory>
#include <string_view>

namespace catena::array {
namespace {

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

}  // namespace

std::optional<std::vector<std::string>> folder_names(
    const std::string& folder) {
  const std::unique_ptr<DIR, CloseFolder> entries(::opendir(folder.c_str()));
  if (entries == nullptr) return std::nullopt;
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  return names;
}

}  // namespace catena::array
