#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace catena::datasets {

// A file of a dataset and its download URLs.
struct RemoteFile {
  std::string name;
  std::string sha256;
  std::vector<std::string> urls;
};

// The path of a file in `folder` below dataset::get_dataset_root(); it is
// downloaded if missing. Throws IoError, starting with `operation`, when that
// fails, and says how to get the file manually; or when the file that is there
// has another checksum.
std::string fetch_file(std::string_view operation, std::string_view folder,
                       const RemoteFile& file);

// The path of the first of these files that exists in a folder. Throws IoError
// naming them when none does.
std::string require_file(std::string_view operation, const std::string& folder,
                         const std::vector<std::string>& names);
// The same, but returns "" when none exists.
std::string find_file(const std::string& folder,
                      const std::vector<std::string>& names);

}  // namespace catena::datasets
