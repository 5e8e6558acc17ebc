#include "catena/array/io/private_folder.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/io/file_identity.h"
#include "catena/array/io/folder_names.h"

namespace catena::array {
namespace {

// A locked descriptor of a folder; -1 if it is gone, with errno EWOULDBLOCK if
// it is in use, or with another if the file system has no locks.
int lock_of(const std::string& path) {
  const int folder =
      ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return -1;
  // It may have been removed, and be another one, before it was locked.
  const bool is_locked = ::flock(folder, LOCK_EX | LOCK_NB) == 0;
  const int error = is_locked ? ENOENT : errno;
  if (is_locked && has_name(folder, path)) return folder;
  ::close(folder);
  errno = error;
  return -1;
}

void remove_locked(const std::string& path, int lock) noexcept {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
  if (lock >= 0) ::close(lock);
}

// Removes the folders of processes that have ended.
void remove_left_over(const std::string& parent, std::string_view prefix) {
  const auto names = folder_names(parent);
  for (const std::string& name : names.value_or(std::vector<std::string>())) {
    if (!name.starts_with(prefix) || name.size() != prefix.size() + 6) continue;
    const std::string path = parent + "/" + name;
    if (const int lock = lock_of(path); lock >= 0) remove_locked(path, lock);
  }
}

}  // namespace

PrivateFolder::PrivateFolder(const std::string& parent, std::string_view prefix,
                             std::string_view where) {
  const std::string place = parent.empty() ? "." : parent;
  remove_left_over(place, prefix);
  // Another process may find it before it is locked, and remove it.
  do {
    path_ = str(place, "/", prefix, "XXXXXX");
    if (::mkdtemp(path_.data()) == nullptr) {
      const int error = errno;
      raise<IoError>(where, ": cannot create a folder in '", place,
                     "': ", std::strerror(error));
    }
    lock_ = lock_of(path_);
    if (lock_ < 0 && errno != EWOULDBLOCK &&
        ::access(path_.c_str(), F_OK) == 0) {
      break;  // no locks
    }
  } while (lock_ < 0);
}

void PrivateFolder::remove() noexcept {
  if (path_.empty()) return;
  remove_locked(path_, lock_);
  path_.clear();
}

}  // namespace catena::array
