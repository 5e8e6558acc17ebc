#include "catena/dataset/dataset_root.h"

#include <filesystem>
#include <mutex>
#include <system_error>

#include "catena/array/core/environment.h"
#include "catena/array/core/error.h"

namespace catena::dataset {
namespace {

struct Root {
  std::mutex mutex;
  std::string path;  // empty unless set
};

Root& root() {
  static Root root;
  return root;
}

}  // namespace

std::string get_dataset_root() {
  {
    const std::lock_guard lock(root().mutex);
    if (!root().path.empty()) return root().path;
  }
  if (const char* path = environment("CATENA_DATASET_ROOT")) return path;
  if (const char* home = environment("HOME")) {
    return std::string(home) + "/.catena/dataset";
  }
  raise<ValueError>(
      "get_dataset_root: expected the environment variable "
      "CATENA_DATASET_ROOT or HOME, found neither");
}

std::vector<std::string> dataset_roots() {
  std::vector<std::string> roots = {get_dataset_root()};
  if (const char* home = environment("HOME")) {
    const std::string chainers = std::string(home) + "/.chainer/dataset";
    std::error_code error;
    if (std::filesystem::is_directory(chainers, error) &&
        chainers != roots[0]) {
      roots.push_back(chainers);
    }
  }
  return roots;
}

void set_dataset_root(std::string path) {
  const std::lock_guard lock(root().mutex);
  root().path = std::move(path);
}

std::string get_dataset_directory(std::string_view dataset_name,
                                  CreateDirectory create) {
  const std::filesystem::path path =
      std::filesystem::path(get_dataset_root()) / dataset_name;
  if (create == CreateDirectory::kYes) {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error) {
      raise<IoError>("get_dataset_directory: cannot create '", path.string(),
                     "': ", error.message(),
                     "; set CATENA_DATASET_ROOT to use another folder");
    }
  }
  return path.string();
}

}  // namespace catena::dataset
