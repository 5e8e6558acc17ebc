#include "catena/dataset/file_in_the_making.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "catena/array/error.h"

namespace catena::dataset {
namespace {

void sync(const std::string& path, int flags, std::string_view operation) {
  const int file = ::open(path.c_str(), flags | O_CLOEXEC);
  const bool synced = file >= 0 && ::fsync(file) == 0;
  const int error = errno;
  if (file >= 0) ::close(file);
  if (!synced) {
    raise<IoError>(operation, ": cannot write '", path,
                   "' to the disk: ", std::strerror(error));
  }
}

std::string folder_of(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

}  // namespace

FileInTheMaking::FileInTheMaking(const std::string& path) : path_(path) {
  // A folder of its own: the creator's file must not exist yet, and may have
  // others beside it.
  folder_ = folder_of(path) + "/.making.XXXXXX";
  if (::mkdtemp(folder_.data()) == nullptr) {
    raise<IoError>("cache_or_load_file: cannot create a file beside '", path,
                   "': ", std::strerror(errno));
  }
  temporary_ = folder_ + "/" + std::filesystem::path(path).filename().string();
}

FileInTheMaking::~FileInTheMaking() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void FileInTheMaking::commit() {
  make_durable_and_rename(temporary_, path_, "cache_or_load_file");
}

void make_durable_and_rename(const std::string& from, const std::string& to,
                             std::string_view operation) {
  sync(from, O_RDONLY, operation);
  if (::rename(from.c_str(), to.c_str()) != 0) {
    raise<IoError>(operation, ": cannot rename the finished file to '", to,
                   "': ", std::strerror(errno));
  }
  sync(folder_of(to), O_RDONLY | O_DIRECTORY, operation);
}

}  // namespace catena::dataset
