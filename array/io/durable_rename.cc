#include "catena/array/io/durable_rename.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "catena/array/core/error.h"

namespace catena::array {
namespace {

[[noreturn]] void fail(std::string_view where, std::string_view action) {
  raise<IoError>(where, ": ", action, ": ", std::strerror(errno));
}

// Closes the file; errno is that of fsync.
bool sync_and_close(int file) {
  const bool synced = ::fsync(file) == 0;
  const int error = errno;
  ::close(file);
  errno = error;
  return synced;
}

// Some file systems cannot synchronize folders and return an error, which is
// ignored.
bool sync_folder(const std::string& folder) {
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return errno == EACCES;  // writable but not readable
  return sync_and_close(file) || errno == EINVAL || errno == ENOTSUP;
}

}  // namespace

std::string folder_of(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

void durable_rename(const std::string& from, const std::string& to,
                    std::string_view where) {
  const std::string folder = folder_of(to);  // may find no memory
  if (::rename(from.c_str(), to.c_str()) != 0) {
    fail(where, "cannot rename the finished file");
  }
  if (!sync_folder(folder)) {
    fail(where, "the file is written, but its folder cannot be synchronized");
  }
}

void sync_and_rename(const std::string& from, const std::string& to,
                     std::string_view where) {
  const int file = ::open(from.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0 || !sync_and_close(file))
    fail(where, "cannot write to the disk");
  durable_rename(from, to, where);
}

}  // namespace catena::array
