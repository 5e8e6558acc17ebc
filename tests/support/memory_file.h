#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "catena/array/core/error.h"

namespace catena::testing {

// An in-memory file with a path that this process can open, so that fuzz
// targets of readers do not wait for the disk.
class MemoryFile {
 public:
  MemoryFile() : file_(::memfd_create("file", MFD_CLOEXEC)) {
    if (file_ < 0) raise<IoError>("MemoryFile: cannot create a file");
  }
  ~MemoryFile() { ::close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  // Sets the content and returns the path.
  std::string with(const uint8_t* bytes, size_t size) const {
    if (::ftruncate(file_, 0) != 0 ||
        ::pwrite(file_, bytes, size, 0) != static_cast<ssize_t>(size)) {
      raise<IoError>("MemoryFile: cannot write ", size, " bytes");
    }
    return "/proc/self/fd/" + std::to_string(file_);
  }

 private:
  int file_;
};

}  // namespace catena::testing
