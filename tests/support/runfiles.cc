#include "catena/tests/support/runfiles.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "catena/array/core/error.h"

namespace catena::testing {
namespace {

std::vector<std::filesystem::path> runfiles_folders() {
  std::vector<std::filesystem::path> folders;
  for (const char* variable : {"RUNFILES_DIR", "TEST_SRCDIR"}) {
    if (const char* value = std::getenv(variable)) folders.emplace_back(value);
  }
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) folders.emplace_back(program.string() + ".runfiles");
  return folders;
}

}  // namespace

std::string runfile(std::string_view path) {
  // The repository's name with WORKSPACE, and with MODULE.bazel as the root
  // module or a dependency.
  std::vector<std::filesystem::path> candidates;
  for (const auto& folder : runfiles_folders()) {
    for (const char* workspace : {"catena", "_main", "catena+", "catena~"}) {
      candidates.push_back(folder / workspace / path);
    }
  }
  candidates.emplace_back(path);
  std::string searched;
  for (const auto& candidate : candidates) {
    std::error_code error;
    if (std::filesystem::exists(candidate, error)) return candidate.string();
    searched += "\n  " + candidate.string();
  }
  raise<IoError>("runfile: expected '", path,
                 "' in the data of this test, found none of:", searched);
}

std::vector<std::string> runfile_names(std::string_view folder,
                                       std::string_view prefix,
                                       std::string_view suffix) {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(runfile(folder))) {
    const std::string name = entry.path().filename().string();
    if (entry.is_regular_file() &&
        name.size() > prefix.size() + suffix.size() &&
        name.starts_with(prefix) && name.ends_with(suffix)) {
      names.push_back(name);
    }
  }
  if (names.empty()) {
    raise<IoError>("runfile_names: expected files '", prefix, "*", suffix,
                   "' of '", folder, "' in the data of this test, got none");
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace catena::testing
