#include "catena/dataset/idx.h"

#include <algorithm>
#include <array>
#include <bit>
#include <new>
#include <span>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/io/byte_order.h"
#include "catena/array/io/checked_byte_count.h"
#include "catena/array/io/decompressed_file.h"

namespace catena::dataset {
namespace {

Dtype dtype_of_code(unsigned code, const std::string& where) {
  switch (code) {
    case 0x08:
      return Dtype::kUInt8;
    case 0x09:
      return Dtype::kInt8;
    case 0x0B:
      return Dtype::kInt16;
    case 0x0C:
      return Dtype::kInt32;
    case 0x0D:
      return Dtype::kFloat32;
    case 0x0E:
      return Dtype::kFloat64;
  }
  raise<IoError>(
      where, ": expected an IDX dtype (8, 9, 11, 12, 13 or 14), got ", code);
}

int64_t read_extent(array::DecompressedFile& file) {
  std::array<unsigned char, 4> bytes;
  file.read({reinterpret_cast<char*>(bytes.data()), bytes.size()});
  int64_t extent = 0;
  for (const unsigned char byte : bytes) extent = extent << 8 | byte;
  return extent;
}

// The bytes of the elements, checked against the limits and the file size.
int64_t checked_bytes(const Shape& shape, Dtype dtype,
                      const array::DecompressedFile& file,
                      const LoadLimits& limits) {
  const auto bytes = array::checked_byte_count(shape, item_size(dtype));
  const bool has_zero = std::ranges::find(shape, 0) != shape.end();
  const int64_t max =
      std::min(limits.array_bytes, has_zero ? INT64_MAX : file.max_remaining());
  if (!bytes || *bytes > max) {
    raise<IoError>(file.where(), ": expected at most ", max,
                   " bytes of elements (limits and file size), got ", dtype,
                   " of shape ", shape);
  }
  return has_zero ? 0 : *bytes;
}

}  // namespace

Array read_idx(const std::string& path, const LoadLimits& limits) try {
  array::DecompressedFile file(path, "read_idx", limits);
  std::array<unsigned char, 4> magic;
  file.read({reinterpret_cast<char*>(magic.data()), magic.size()});
  if (magic[0] != 0 || magic[1] != 0) {
    raise<IoError>(file.where(),
                   ": expected an IDX file, which begins with "
                   "two zero bytes, got ",
                   int{magic[0]}, " and ", int{magic[1]});
  }
  const Dtype dtype = dtype_of_code(magic[2], file.where());
  const int max_dims = std::min(limits.dims, kMaxDims);
  if (magic[3] < 1 || magic[3] > max_dims) {
    raise<IoError>(file.where(), ": expected 1 to ", max_dims, " axes, got ",
                   int{magic[3]});
  }
  Shape shape;
  for (int i = 0; i < magic[3]; ++i) shape.push_back(read_extent(file));
  const int64_t bytes = checked_bytes(shape, dtype, file, limits);

  const Array result = array::empty(shape, dtype, native_device());
  const std::span<char> items(result.raw_data(), static_cast<size_t>(bytes));
  file.read(items);
  if (!file.at_end()) {
    raise<IoError>(file.where(), ": expected the end after ", dtype,
                   " of shape ", shape, ", got more bytes");
  }
  if (std::endian::native == std::endian::little) {
    array::reverse_bytes(items, result.itemsize());
  }
  return result;
} catch (const std::bad_alloc&) {
  raise_out_of_memory("read_idx");
}

}  // namespace catena::dataset
