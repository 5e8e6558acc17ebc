#pragma once

#include <string>
#include <string_view>

namespace catena::dataset {

// A path for a file in the making, next to where it shall be: commit() makes
// it durable and moves it there; otherwise it is removed.
class FileInTheMaking {
 public:
  // IoError when the folder is not there or not writable.
  explicit FileInTheMaking(const std::string& path);
  ~FileInTheMaking();
  FileInTheMaking(const FileInTheMaking&) = delete;
  FileInTheMaking& operator=(const FileInTheMaking&) = delete;

  const std::string& path() const { return temporary_; }
  void commit();

 private:
  std::string path_;
  std::string folder_;
  std::string temporary_;
};

// Makes a file's content durable, renames it over another in the same file
// system, and makes that durable. IoError, starting with `operation`.
void make_durable_and_rename(const std::string& from, const std::string& to,
                             std::string_view operation);

}  // namespace catena::dataset
