#include "catena/dataset/data_file.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/io/folder_names.h"

namespace catena::dataset {
namespace {

namespace fs = std::filesystem;

// The runfiles folder of this program, or of the one that started it.
std::vector<fs::path> runfiles_folders() {
  std::vector<fs::path> folders;
  for (const char* variable : {"RUNFILES_DIR", "TEST_SRCDIR"}) {
    if (const char* value = std::getenv(variable)) folders.emplace_back(value);
  }
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) folders.emplace_back(program.string() + ".runfiles");
  return folders;
}

// catena's folder in the runfiles: "catena" with WORKSPACE, "_main" as the root
// module, "catena+" or "catena~VERSION" as a dependency.
std::vector<fs::path> repositories(const fs::path& runfiles) {
  std::vector<fs::path> found;
  const auto names = array::folder_names(runfiles.string());
  for (const std::string& name : names.value_or(std::vector<std::string>())) {
    if (name == "_main" || name.starts_with("catena")) {
      found.push_back(runfiles / name);
    }
  }
  std::ranges::sort(found);
  return found;
}

// The repository, if the program is in its bazel-bin or is started in it.
std::vector<fs::path> ancestors() {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::path folder = fs::current_path(error); !folder.empty();
       folder = folder.parent_path()) {
    found.push_back(folder);
    if (folder == folder.root_path()) break;
  }
  return found;
}

// The shared library that contains this function, which //:install made, or the
// program.
fs::path this_library() {
  Dl_info info;
  const auto address = reinterpret_cast<void*>(&this_library);
  std::error_code error;
  return ::dladdr(address, &info) != 0 ? fs::canonical(info.dli_fname, error)
                                       : fs::path();
}

// Lines "REPOSITORY/PATH FILE", for Bazel without a runfiles folder.
std::string find_in_manifest(std::string_view path) {
  const char* manifest = std::getenv("RUNFILES_MANIFEST_FILE");
  if (manifest == nullptr) return "";
  std::ifstream lines(manifest);
  for (std::string line; std::getline(lines, line);) {
    const size_t space = line.find(' ');
    if (space == std::string::npos) continue;
    const std::string_view key = std::string_view(line).substr(0, space);
    const size_t slash = key.find('/');
    if (slash == std::string_view::npos) continue;
    const std::string_view repository = key.substr(0, slash);
    if (key.substr(slash + 1) == path &&
        (repository == "_main" || repository.starts_with("catena"))) {
      return line.substr(space + 1);
    }
  }
  return "";
}

}  // namespace

std::string find_data_file(std::string_view path) {
  std::vector<fs::path> candidates;
  for (const fs::path& runfiles : runfiles_folders()) {
    for (const fs::path& repository : repositories(runfiles)) {
      candidates.push_back(repository / path);
    }
  }
  if (std::string file = find_in_manifest(path); !file.empty()) {
    candidates.emplace_back(file);
  }
  for (const fs::path& folder : ancestors()) {
    candidates.push_back(folder / path);
    candidates.push_back(folder / "external" / "catena" / path);
  }
  if (const fs::path library = this_library(); !library.empty()) {
    candidates.push_back(library.parent_path().parent_path() / "share" /
                         "catena" / path);
  }
  std::string searched;
  for (const fs::path& candidate : candidates) {
    std::error_code error;
    if (fs::is_regular_file(candidate, error)) return candidate.string();
    searched += "\n  " + candidate.string();
  }
  raise<IoError>("find_data_file: expected '", path,
                 "' among the program's runfiles, in the repository or "
                 "beside an installed library, found none of:",
                 searched);
}

}  // namespace catena::dataset
