#include "catena/array/io/byte_source.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/core/quote.h"

namespace catena::array {

ByteSource::ByteSource(std::string where, int file, const char* memory,
                       int64_t size)
    : where_(std::move(where)), file_(file), memory_(memory), size_(size) {}

ByteSource::ByteSource(ByteSource&& other) noexcept
    : where_(std::move(other.where_)),
      file_(std::exchange(other.file_, -1)),
      memory_(other.memory_),
      size_(other.size_) {}

ByteSource::~ByteSource() {
  if (file_ >= 0) ::close(file_);
}

ByteSource ByteSource::open(const std::string& path, std::string_view operation,
                            const LoadLimits& limits) {
  std::string where = str(operation, ": ", quote_path(path));
  // Without O_NONBLOCK opening a named pipe would block until it has a writer.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) {
    raise<IoError>(where, ": cannot open the file: ", std::strerror(errno));
  }
  ByteSource source(std::move(where), file, nullptr, 0);  // closes on throw
  struct stat status;
  if (::fstat(file, &status) != 0) {
    raise<IoError>(source.where_,
                   ": cannot read the file's size: ", std::strerror(errno));
  }
  if (!S_ISREG(status.st_mode)) {
    raise<IoError>(source.where_, ": expected a regular file, got ",
                   S_ISDIR(status.st_mode) ? "a directory" : "a device");
  }
  source.size_ = status.st_size;
  if (source.size_ > limits.file_bytes) {
    raise<IoError>(source.where_, ": expected at most ", limits.file_bytes,
                   " bytes (LoadLimits::file_bytes), got ", source.size_);
  }
  return source;
}

ByteSource ByteSource::of_memory(std::span<const char> bytes,
                                 std::string_view operation,
                                 std::string_view name) {
  return ByteSource(str(operation, ": ", quote(name)), -1, bytes.data(),
                    static_cast<int64_t>(bytes.size()));
}

void ByteSource::check_range(int64_t offset, int64_t count) const {
  if (offset >= 0 && count >= 0 && count <= size_ && offset <= size_ - count) {
    return;
  }
  raise<IoError>(where_, ": the file is truncated: expected ", count,
                 " bytes at offset ", offset, ", got a file of ", size_,
                 " bytes");
}

void ByteSource::read(int64_t offset, std::span<char> to) const {
  const auto count = static_cast<int64_t>(to.size());
  check_range(offset, count);
  if (count == 0) return;
  if (file_ < 0) {
    std::memcpy(to.data(), memory_ + offset, to.size());
    return;
  }
  int64_t done = 0;
  while (done < count) {
    const ssize_t got =
        ::pread(file_, to.data() + done, count - done, offset + done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      raise<IoError>(where_, ": cannot read: ", std::strerror(errno));
    }
    if (got == 0) {
      raise<IoError>(where_, ": the file shrank while it was read: expected ",
                     size_, " bytes, got ", offset + done);
    }
    done += got;
  }
}

std::shared_ptr<const char> ByteSource::map(int64_t offset,
                                            int64_t count) const {
  check_range(offset, count);
  const std::shared_ptr<const void> nobody;
  if (count == 0) return {nobody, ""};
  if (file_ < 0) return {nobody, memory_ + offset};
  char last;
  read(offset + count - 1, {&last, 1});  // the file may have shrunk
  const int64_t before = offset % ::sysconf(_SC_PAGESIZE);
  const int64_t bytes = before + count;
  void* const pages =
      ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file_, offset - before);
  if (pages == MAP_FAILED) {  // not every file system has this
    const std::shared_ptr<char[]> copy(new char[count]);
    read(offset, {copy.get(), static_cast<size_t>(count)});
    return {copy, copy.get()};
  }
  const std::shared_ptr<void> owner(
      pages, [bytes](void* data) { ::munmap(data, bytes); });
  return {owner, static_cast<const char*>(pages) + before};
}

}  // namespace catena::array
