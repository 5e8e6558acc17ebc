#pragma once

#include <string>
#include <string_view>

#include "catena/array/io/private_folder.h"

namespace catena::array {

// A path at which other code writes a file, where an AtomicFile takes bytes.
// There is no such file yet, and its name is that of `path`. commit() makes the
// file durable and renames it to `path`; otherwise it is removed: by the next
// TempFile in the same folder, if the process is killed.
class TempFile {
 public:
  // Throws IoError, starting with `operation`, when the folder is missing or
  // not writable.
  TempFile(const std::string& path, std::string_view operation);
  const std::string& path() const { return temporary_; }
  // Call once, after the last write. Throws IoError when that fails.
  void commit();

 private:
  std::string where_;
  std::string path_;
  PrivateFolder folder_;
  std::string temporary_;
};

}  // namespace catena::array
