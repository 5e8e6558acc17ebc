#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "catena/array/core/dtype.h"
#include "catena/array/core/shape.h"
#include "catena/array/io/byte_stream.h"
#include "catena/array/io/load_limits.h"

namespace catena::array {

// The item type of a .npy file: numbers of a supported dtype, fixed-width text
// (UTF-32 or bytes), or pickled Python objects.
enum class NpyItem : uint8_t { kNumber, kUnicode, kBytes, kObject };

// The header of a .npy file.
struct NpyHeader {
  NpyItem item = NpyItem::kNumber;
  Dtype dtype = Dtype::kFloat64;  // of kNumber
  int64_t item_bytes = 0;         // 0 for kObject
  bool swapped = false;           // not in this machine's byte order
  bool fortran_order = false;
  Shape shape;
  int64_t size = 0;  // of the shape
};

// Reads magic, version (1 to 3) and header, checks them against the limits and,
// unless the items are objects, checks that exactly the array's bytes follow.
// Throws IoError.
NpyHeader read_npy_header(ByteStream& stream, const LoadLimits& limits);

// The header NumPy writes for an array of type string `descr` ("<f4") in C
// order: version 1, padded to at least `min_bytes` and to a multiple of 64.
std::string npy_header(std::string_view descr, const Shape& shape,
                       int64_t min_bytes = 0);

// NumPy's type string for a dtype in this machine's byte order. Throws
// DtypeError naming `operation` for bfloat16, which has none.
std::string npy_descr(Dtype dtype, std::string_view operation);

}  // namespace catena::array
