#pragma once

#include <string>
#include <string_view>

namespace catena::testing {

// A new, empty folder, removed with its contents at the end of the scope.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::string& path() const { return path_; }
  // The path of `name` in the folder.
  std::string file(std::string_view name) const;

 private:
  std::string path_;
};

// The bytes of a file. Throws IoError on failure.
std::string read_file(const std::string& path);
// Creates or replaces a file. Throws IoError on failure.
void write_file(const std::string& path, std::string_view bytes);

}  // namespace catena::testing
