#include "catena/array/io/npy_map.h"

#include <algorithm>
#include <memory>
#include <new>
#include <string_view>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/creation.h"
#include "catena/array/from_data.h"
#include "catena/array/io/byte_source.h"
#include "catena/array/io/byte_stream.h"
#include "catena/array/io/file_map.h"
#include "catena/array/io/npy_header.h"

namespace catena::array {

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
