#pragma once

#include <string>

namespace catena::dataset {

// A path for somebody else to write a file at: commit() makes it durable and
// renames it to the final path; otherwise it is removed.
class TempFile {
 public:
  // IoError when the folder is not there or not writable.
  explicit TempFile(const std::string& path);
  ~TempFile();
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;

  const std::string& path() const { return temporary_; }
  void commit();

 private:
  std::string path_;
  std::string folder_;
  std::string temporary_;
};

}  // namespace catena::dataset
