#include "catena/array/core/shared_object.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

#include "catena/array/core/error.h"

namespace catena {
namespace {

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

// A path of an open file that no other call returns: dlopen() returns what it
// has already loaded from a path, and numbers of files come again.
std::string unique_path(int file) {
  static std::atomic<uint64_t> calls = 0;
  std::string path = "/proc/self/fd/";
  for (uint64_t bits = ++calls; bits != 0; bits >>= 1) {
    path += (bits & 1) != 0 ? "./" : ".//";
  }
  return path + std::to_string(file);
}

// Closes a file at the end of the scope.
struct FileCloser {
  explicit FileCloser(int file) : file(file) {}
  ~FileCloser() { ::close(file); }
  FileCloser(const FileCloser&) = delete;
  FileCloser& operator=(const FileCloser&) = delete;
  int file;
};

// nullptr where there is no /proc, or code in memory is forbidden.
void* load_in_memory([[maybe_unused]] std::string_view bytes,
                     [[maybe_unused]] int flags) {
  void* library = nullptr;
#ifdef MFD_CLOEXEC
  const int memory = ::memfd_create("catena_code", MFD_CLOEXEC);
  if (memory < 0) return nullptr;
  const FileCloser closer(memory);
  if (write_all(memory, bytes)) {
    library = ::dlopen(unique_path(memory).c_str(), flags);
  }
#endif
  return library;
}

}  // namespace

void* load_shared_object(std::string_view name, std::string_view bytes,
                         int flags) {
  if (void* const library = load_in_memory(bytes, flags)) return library;
  const char* folder = std::getenv("TMPDIR");
  std::string path = str(folder != nullptr ? folder : "/tmp", "/catena_XXXXXX");
  const int file = ::mkstemp(path.data());
  if (file < 0) {
    raise<IoError>(name, ": cannot store the code at ", path, ": ",
                   std::strerror(errno));
  }
  const bool is_written = write_all(file, bytes);
  ::close(file);
  void* const library = is_written ? ::dlopen(path.c_str(), flags) : nullptr;
  ::unlink(path.c_str());
  if (!is_written) raise<IoError>(name, ": cannot write the code to ", path);
  if (library == nullptr) {
    raise<IoError>(name, ": cannot load the code: ", ::dlerror());
  }
  return library;
}

}  // namespace catena
