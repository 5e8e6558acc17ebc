#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "catena/array/error.h"

namespace catena::testing {

// A file in memory, with a path under which this process can open it: for fuzz
// targets of readers, which would otherwise wait for the disk.
class MemoryFile {
 public:
  MemoryFile() : file_(::memfd_create("file", MFD_CLOEXEC)) {
    if (file_ < 0) raise<IoError>("MemoryFile: cannot create a file");
  }
  ~MemoryFile() { ::close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  // Its path, with these bytes as its content.
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
