#include "catena/array/io/atomic_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <random>

#include "catena/array/core/error.h"
#include "catena/array/core/quote.h"
#include "catena/array/io/durable_rename.h"
#include "catena/array/io/file_identity.h"

namespace catena::array {
namespace {

// The name of an unfinished file in the folder of `path`.
std::string name_with(const std::string& path, std::string_view word) {
  constexpr size_t kLongest = 200;  // file systems allow 255 bytes
  const std::string name = std::filesystem::path(path).filename().string();
  return str(folder_of(path), "/.", name.substr(0, kLongest), ".", word,
             ".tmp");
}

// One that the next writer of `path` knows.
std::string fixed_name(const std::string& path) {
  return name_with(path, "unfinished");
}

std::string unique_name(const std::string& path) {
  std::random_device random;
  std::string word;
  for (int i = 0; i < 16; ++i) word += "0123456789abcdef"[random() & 15];
  return name_with(path, word);
}

// The first new name in the folder of `path` that use(name) takes; empty with
// errno if that fails for another reason than a file of this name.
template <class Use>
std::string first_free_name(const std::string& path, const Use& use) {
  for (;;) {
    std::string name = unique_name(path);
    if (use(name)) return name;
    if (errno != EEXIST) return {};
  }
}

// False with errno EWOULDBLOCK if another open file has it, else if the file
// system has no locks.
bool lock(int file) { return ::flock(file, LOCK_EX | LOCK_NB) == 0; }

bool is_regular(int file) {
  struct stat status = {};
  return ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

// Removes a file that a process which was killed has left.
bool remove_left_over(const std::string& name) {
  const int file = ::open(
      name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file < 0) return false;
  const bool is_removed = is_regular(file) && lock(file) &&
                          has_name(file, name) && ::unlink(name.c_str()) == 0;
  ::close(file);
  return is_removed;
}

// A new file; -1 with errno if it can't be made.
int create(const std::string& name) {
  int file = -1;
  do {
    file = ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (file < 0 && errno == EINTR);
  return file;
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
  std::string name = fixed_name(path_);
  file_ = create(name);
  if (file_ < 0 && errno == EEXIST && remove_left_over(name)) {
    file_ = create(name);
  }
  if (file_ >= 0) {
    const bool is_locked = lock(file_);
    if (!is_locked && errno != EWOULDBLOCK) ::unlink(name.c_str());
    // Another writer may have taken it for a left one before it was locked.
    if (!is_locked || !has_name(file_, name)) {
      ::close(file_);
      file_ = -1;
      errno = EEXIST;
    }
  }
  if (file_ < 0 && errno == EEXIST) {
    name = first_free_name(path_, [this](const std::string& free) {
      file_ = create(free);
      return file_ >= 0;
    });
  }
  if (file_ >= 0) temporary_ = std::move(name);
}

bool AtomicFile::link_as(const std::string& name) const {
  return ::linkat(AT_FDCWD, path_of_descriptor(file_).c_str(), AT_FDCWD,
                  name.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

void AtomicFile::name_temporary() {
  if (!temporary_.empty()) return;
  std::string name = fixed_name(path_);
  const bool is_fixed =
      lock(file_) &&
      (link_as(name) ||
       (errno == EEXIST && remove_left_over(name) && link_as(name)));
  if (!is_fixed) {
    name = first_free_name(
        path_, [this](const std::string& free) { return link_as(free); });
  }
  if (name.empty()) fail("cannot name the finished file");
  temporary_ = std::move(name);
}

AtomicFile::~AtomicFile() { close_and_remove(); }

void AtomicFile::close_and_remove() noexcept {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  if (file_ >= 0) ::close(file_);
  unlock();
  file_ = -1;
  temporary_.clear();
}

void AtomicFile::unlock() noexcept {
  if (lock_ >= 0) ::close(lock_);
  lock_ = -1;
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

void AtomicFile::read(int64_t offset, std::span<char> bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = ::pread(file_, bytes.data(), bytes.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("cannot read");
    if (count == 0) raise<IoError>(where_, ": cannot read beyond its end");
    bytes = bytes.subspan(static_cast<size_t>(count));
    offset += count;
  }
}

void AtomicFile::close() {
  const int file = file_;
  // A copy of the descriptor keeps its lock.
  lock_ = ::fcntl(file, F_DUPFD_CLOEXEC, 0);
  file_ = -1;
  if (::close(file) != 0) fail("cannot close");
}

void AtomicFile::commit() {
  if (::fsync(file_) != 0) fail("cannot write to the disk");
  name_temporary();
  close();
  durable_rename(temporary_, path_, where_);
  temporary_.clear();
  unlock();
}

void AtomicFile::commit_unflushed() {
  name_temporary();
  close();
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) {
    fail("cannot rename the finished file");
  }
  temporary_.clear();
  unlock();
}

}  // namespace catena::array
