#include "catena/array/io/atomic_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <random>

#include "catena/array/core/error.h"
#include "catena/array/core/quote.h"
#include "catena/array/io/durable_rename.h"

namespace catena::array {
namespace {

// A unique name in the folder of `path`.
std::string temporary_name(const std::string& path) {
  constexpr size_t kLongest = 200;  // file systems allow 255 bytes
  const std::string name = std::filesystem::path(path).filename().string();
  std::random_device random;
  std::string suffix;
  for (int i = 0; i < 16; ++i) suffix += "0123456789abcdef"[random() & 15];
  return folder_of(path) + "/." + name.substr(0, kLongest) + "." + suffix +
         ".tmp";
}

// The path by which the system gives an open file a name.
std::string path_of_descriptor(int file) { return str("/proc/self/fd/", file); }

}  // namespace

AtomicFile::AtomicFile(Unopened, const std::string& path,
                       std::string_view operation)
    : where_(str(operation, ": ", quote_path(path))), path_(path) {}

// Delegates, so that the destructor closes and removes the file where what
// follows throws.
AtomicFile::AtomicFile(const std::string& path, std::string_view operation)
    : AtomicFile(Unopened(), path, operation) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::is_symlink(path, error)) {
    const fs::path target = fs::weakly_canonical(path, error);
    if (!error) path_ = target.string();
  }
  const fs::file_status status = fs::status(path_, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    raise<IoError>(where_, ": expected a regular file or a new name, got ",
                   fs::is_directory(status) ? "a directory" : "a device");
  }
  open_unnamed();
  if (file_ < 0) open_named();
  if (file_ < 0) fail("cannot create a file in its folder");
  struct stat old;
  if (::stat(path_.c_str(), &old) == 0) {
    // Where that fails the new file has the permissions of any new one.
    static_cast<void>(::fchmod(file_, old.st_mode & 07777));
  }
}

// Leaves file_ as it is where there is no such file, or no way to name it
// later.
void AtomicFile::open_unnamed() {
#ifdef O_TMPFILE
  const std::string folder = folder_of(path_);
  do {
    file_ = ::open(folder.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0666);
  } while (file_ < 0 && errno == EINTR);
  if (file_ >= 0 && ::access(path_of_descriptor(file_).c_str(), F_OK) != 0) {
    ::close(file_);
    file_ = -1;
  }
#endif
}

void AtomicFile::open_named() {
  do {
    temporary_ = temporary_name(path_);
    file_ =
        ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (file_ < 0 && (errno == EEXIST || errno == EINTR));
  if (file_ < 0) temporary_.clear();
}

void AtomicFile::name_temporary() {
  if (!temporary_.empty()) return;
  const std::string unnamed = path_of_descriptor(file_);
  std::string name;
  int status = 0;
  do {
    name = temporary_name(path_);
    status = ::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, name.c_str(),
                      AT_SYMLINK_FOLLOW);
  } while (status != 0 && errno == EEXIST);
  if (status != 0) fail("cannot name the finished file");
  temporary_ = std::move(name);
}

const std::string& AtomicFile::temporary_path() {
  name_temporary();
  return temporary_;
}

AtomicFile::~AtomicFile() { close_and_remove(); }

void AtomicFile::close_and_remove() noexcept {
  if (file_ >= 0) ::close(file_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  file_ = -1;
  temporary_.clear();
}

void AtomicFile::fail(std::string_view action) const {
  raise<IoError>(where_, ": ", action, ": ", std::strerror(errno));
}

void AtomicFile::write(std::span<const char> bytes) {
  write_at(position_, bytes);
  position_ += static_cast<int64_t>(bytes.size());
  constexpr int64_t kWorthwhile = 8 << 20;
  if (position_ - started_ >= kWorthwhile) start_writeback();
}

// Starts write-back early, so that commit() waits less. Errors show in
// commit().
void AtomicFile::start_writeback() noexcept {
#if defined(__linux__)
  static_cast<void>(::sync_file_range(file_, started_, position_ - started_,
                                      SYNC_FILE_RANGE_WRITE));
#endif
  started_ = position_;
}

void AtomicFile::overwrite(int64_t offset, std::span<const char> bytes) {
  write_at(offset, bytes);
}

void AtomicFile::write_at(int64_t offset, std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(file_, bytes.data(), bytes.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("cannot write");
    bytes = bytes.subspan(count);
    offset += count;
  }
}

void AtomicFile::close() {
  const int file = file_;
  file_ = -1;
  if (::close(file) != 0) fail("cannot close");
}

void AtomicFile::commit() {
  if (::fsync(file_) != 0) fail("cannot write to the disk");
  name_temporary();
  close();
  durable_rename(temporary_, path_, where_);
  temporary_.clear();
}

void AtomicFile::commit_unflushed() {
  name_temporary();
  close();
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) {
    fail("cannot rename the finished file");
  }
  temporary_.clear();
}

}  // namespace catena::array
