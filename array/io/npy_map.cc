#include "catena/array/io/npy_map.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/creation.h"
#include "catena/array/from_data.h"
#include "catena/array/io/byte_source.h"
#include "catena/array/io/byte_stream.h"
#include "catena/array/io/npy_header.h"

namespace catena::array {
namespace {

// A memory-mapped file. Throws IoError.
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

}  // namespace

Array map_npy(const std::string& path, MapMode mode,
              const LoadLimits& limits) try {
  const ByteSource source = ByteSource::open(path, "map_npy", limits);
  SourceStream stream(source);
  const NpyHeader header = read_npy_header(stream, limits);
  const auto refuse = [&](std::string_view expected, std::string_view actual) {
    raise<IoError>(source.where(), ": expected ", expected,
                   ", which a mapping can represent, got ", actual);
  };
  if (header.item != NpyItem::kNumber) refuse("numbers", "text or objects");
  if (header.swapped) refuse("numbers in this machine's byte order", "others");
  const int64_t offset = source.size() - stream.remaining();
  const int64_t itemsize = item_size(header.dtype);
  if (offset % itemsize != 0) {
    refuse("data aligned to their size",
           str("data at byte ", offset, " of dtype ", header.dtype));
  }
  if (header.size == 0) {
    return empty(header.shape, header.dtype, native_device());
  }
  const std::shared_ptr<char> memory = map_file(path, mode, source);
  char* const data = memory.get() + offset;
  if (header.dtype == Dtype::kBool &&
      std::any_of(data, data + header.size,
                  [](char c) { return c != 0 && c != 1; })) {
    refuse("a bool of 0 or 1", "another byte");
  }
  FromDataOptions options{.owner = memory, .device = native_device()};
  if (header.fortran_order) {
    Strides strides;
    int64_t stride = itemsize;
    for (int axis = 0; axis < header.shape.ndim(); ++axis) {
      strides.push_back(stride);
      stride *= header.shape[axis];
    }
    options.strides = strides;
  }
  return from_data(data, header.shape, header.dtype, options);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("map_npy");
}

}  // namespace catena::array
