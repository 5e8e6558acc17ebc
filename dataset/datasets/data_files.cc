#include "catena/dataset/datasets/data_files.h"

#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <system_error>

#include "catena/array/core/error.h"
#include "catena/dataset/download.h"

namespace catena::datasets {

std::string fetch_file(std::string_view operation, std::string_view folder,
                       const RemoteFile& file) {
  std::string path =
      str(dataset::get_dataset_directory(folder), "/", file.name);
  std::error_code error;
  if (std::filesystem::exists(path, error)) {
    if (const std::string sum = dataset::internal::sha256_of_file(path);
        sum != file.sha256) {
      raise<IoError>(operation, ": '", path,
                     "' is damaged or another file: expected SHA-256 ",
                     file.sha256, ", got ", sum,
                     "; remove it, and it is downloaded again");
    }
    return path;
  }
  if (auto found = dataset::find_chainers_download(file.urls, file.sha256)) {
    return *found;
  }
  dataset::DownloadOptions options = {.sha256 = file.sha256};
  if (::isatty(STDERR_FILENO) != 0) {
    options.progress = dataset::download_progress_bar(std::cerr);
  }
  try {
    dataset::download(file.urls, path, options);
  } catch (const IoError& error) {
    raise<IoError>(
        operation, ": '", path,
        "' does not exist and cannot be downloaded. Get it from ", file.urls[0],
        " on another machine and put it there, or into a folder passed "
        "as data_dir. ",
        error.what());
  }
  return path;
}

std::string find_file(const std::string& folder,
                      const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    auto path = std::filesystem::path(folder) / name;
    std::error_code error;
    if (std::filesystem::exists(path, error)) return path.string();
  }
  return "";
}

std::string require_file(std::string_view operation, const std::string& folder,
                         const std::vector<std::string>& names) {
  std::string path = find_file(folder, names);
  if (!path.empty()) return path;
  std::string expected;
  for (const std::string& name : names) {
    expected += str(expected.empty() ? "'" : " or '", name, "'");
  }
  raise<IoError>(operation, ": expected ", expected, " in '", folder,
                 "', found none of them");
}

}  // namespace catena::datasets
