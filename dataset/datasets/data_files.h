#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace catena::datasets {

// A file of a data set, and where it can be had.
struct RemoteFile {
  std::string name;
  std::string sha256;
  std::vector<std::string> urls;
};

// The path of that file in the folder below dataset::get_dataset_root(); it is
// downloaded when it is not there. IoError, starting with `operation`, when
// that fails: it says how to get the file there by hand.
std::string fetch_file(std::string_view operation, std::string_view folder,
                       const RemoteFile& file);

// The path of the first of these files in a folder. IoError naming them when
// there is none.
std::string require_file(std::string_view operation, const std::string& folder,
                         const std::vector<std::string>& names);
// The same, but empty when there is none.
std::string find_file(const std::string& folder,
                      const std::vector<std::string>& names);

}  // namespace catena::datasets
