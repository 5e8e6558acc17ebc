#include "catena/array/io/file_map.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "catena/array/core/error.h"

namespace catena::array {

std::shared_ptr<char> map_file(const std::string& path, MapMode mode,
                               const ByteSource& source) {
  const bool shared = mode == MapMode::kReadWrite;
  const int file =
      ::open(path.c_str(), (shared ? O_RDWR : O_RDONLY) | O_CLOEXEC);
  if (file < 0) {
    raise<IoError>(source.where(),
                   ": cannot open the file: ", std::strerror(errno));
  }
  struct stat status;
  const bool is_same =
      ::fstat(file, &status) == 0 && status.st_size == source.size();
  void* const memory =
      is_same ? ::mmap(nullptr, source.size(), PROT_READ | PROT_WRITE,
                       shared ? MAP_SHARED : MAP_PRIVATE, file, 0)
              : MAP_FAILED;
  const int error = errno;
  ::close(file);
  if (!is_same) {
    raise<IoError>(source.where(), ": the file changed while it was read");
  }
  if (memory == MAP_FAILED) {
    raise<IoError>(source.where(),
                   ": cannot map the file: ", std::strerror(error));
  }
  return {static_cast<char*>(memory),
          [size = source.size()](char* data) { ::munmap(data, size); }};
}

}  // namespace catena::array
