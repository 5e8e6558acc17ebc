#pragma once

#include <string>
#include <string_view>

namespace catena::array {

// A path at which other code writes a file, where an AtomicFile takes bytes.
// There is no such file yet, and its name is that of `path`. commit() makes the
// file durable and renames it to `path`; otherwise it is removed.
class TempFile {
 public:
  // IoError, starting with `operation`, when the folder is missing or not
  // writable.
  TempFile(const std::string& path, std::string_view operation);
  ~TempFile();
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;

  const std::string& path() const { return temporary_; }
  // Call once, after the last write. IoError.
  void commit();

 private:
  std::string where_;
  std::string path_;
  std::string folder_;
  std::string temporary_;
};

}  // namespace catena::array
