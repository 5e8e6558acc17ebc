#pragma once

#include <string>
#include <string_view>

namespace catena::array {

// A folder for unfinished files, with a name that nobody can predict and access
// for its user alone. It is removed with all it has when it is destroyed; what
// a process that was killed has left in the same place is removed when the next
// one is made.
class PrivateFolder {
 public:
  // PARENT/PREFIXxxxxxx, where x are random characters. Throws IoError,
  // starting with `where`, when the parent is missing or not writable.
  PrivateFolder(const std::string& parent, std::string_view prefix,
                std::string_view where);
  ~PrivateFolder() { remove(); }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  const std::string& path() const { return path_; }
  // Before the destructor.
  void remove() noexcept;

 private:
  std::string path_;
  // Locked for as long as the folder is in use.
  int lock_ = -1;
};

}  // namespace catena::array
