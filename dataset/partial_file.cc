#include "catena/dataset/partial_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/core/quote.h"
#include "catena/array/io/durable_rename.h"
#include "catena/array/io/file_identity.h"

namespace catena::dataset {

PartialFile::PartialFile(Unopened, const std::string& path,
                         Unfinished unfinished)
    : path_(path), partial_(path + ".part"), unfinished_(unfinished) {}

// Delegates, so that the destructor closes the file where what follows throws.
PartialFile::PartialFile(const std::string& path, Unfinished unfinished)
    : PartialFile(Unopened(), path, unfinished) {
  do {
    if (file_ >= 0) ::close(file_);
    // Not what a link leads to: only the link would be renamed.
    file_ = ::open(partial_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
                   0644);
    if (file_ < 0) fail("create");
  } while (!lock());
  is_locked_ = true;
  hash_content();
}

PartialFile::~PartialFile() {
  if (file_ < 0) return;
  struct stat status;
  if (is_locked_ && array::has_name(file_, partial_) &&
      ::fstat(file_, &status) == 0 &&
      (status.st_size == 0 || unfinished_ == Unfinished::kRemoved)) {
    ::unlink(partial_.c_str());
  }
  ::close(file_);
}

bool PartialFile::lock() {
  if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) {
      // Nobody holds it, so nobody misses it if there is nothing in it.
      const int error = errno;
      struct stat status;
      if (::fstat(file_, &status) == 0 && status.st_size == 0 &&
          array::has_name(file_, partial_)) {
        ::unlink(partial_.c_str());
      }
      errno = error;
      fail("lock");
    }
    start_ = Start::kAfterAnother;
    while (::flock(file_, LOCK_EX) != 0) {
      if (errno != EINTR) fail("lock");
    }
  }
  // The previous owner may have renamed or removed it.
  return array::has_name(file_, partial_);
}

void PartialFile::hash_content() {
  std::vector<char> buffer(256 << 10);
  for (;;) {
    const ssize_t got = ::read(file_, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("read");
    if (got == 0) return;
    hash_.update(std::span(buffer).first(static_cast<size_t>(got)));
    size_ += got;
  }
}

void PartialFile::append(std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(file_, bytes.data(), bytes.size(), size_);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write");
    hash_.update(bytes.first(static_cast<size_t>(written)));
    size_ += written;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
}

void PartialFile::clear() {
  if (::ftruncate(file_, 0) != 0) fail("truncate");
  size_ = 0;
  hash_ = Sha256();
}

void PartialFile::commit() {
  array::sync_and_rename(partial_, path_,
                         str("download: ", array::quote_path(path_)));
}

void PartialFile::fail(const char* action) const {
  raise<IoError>("download: cannot ", action, " '", partial_,
                 "': ", std::strerror(errno));
}

}  // namespace catena::dataset
