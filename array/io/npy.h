#pragma once

#include <span>
#include <string>

#include "catena/array/array.h"
#include "catena/array/io/byte_sink.h"
#include "catena/array/io/byte_stream.h"
#include "catena/array/io/load_limits.h"
#include "catena/array/io/npy_value.h"

namespace catena::array {

// NumPy's file format for one array, versions 1 to 3: any byte order, C or
// Fortran order (the result is in C order), every dtype but bfloat16, text
// (dtypes U and S). Pickled objects are rejected, except a single None, which
// is recognized by its bytes; nothing is ever unpickled.

// Loads the array of a file to the current device. Throws IoError when the file
// cannot be read, exceeds the limits, is corrupt, is longer than its array, or
// is not numeric.
Array load_npy(const std::string& path, const LoadLimits& limits = {});

// Saves an array in C order, from any device. The write is atomic. Throws
// DtypeError for bfloat16; IoError.
void save_npy(const std::string& path, const Array& a);

// Convert from and to a .npy file in memory; the loaded array is on native:0.
Array array_from_npy(std::span<const char> bytes,
                     const LoadLimits& limits = {});
std::string npy_from_array(const Array& a);

// Reads the rest of a stream, which must be one value; arrays are on native:0.
// Throws IoError, starting with the stream's where().
NpyValue read_npy(ByteStream& stream, const LoadLimits& limits);

// Writes a value. The text width is that of the longest string; trailing NUL
// characters are lost, as in NumPy. Throws DtypeError naming `operation` for
// bfloat16, ValueError for an undefined array and for text that is not UTF-8 or
// whose count does not match its shape.
void write_npy(ByteSink& sink, const NpyValue& value,
               std::string_view operation);

}  // namespace catena::array
