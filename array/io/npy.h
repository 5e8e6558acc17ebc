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
// (dtypes U and S). Pickled objects are refused, except for a lone None, which
// is recognized by its bytes; nothing is ever unpickled.

// Reads the array of a file into the current device's memory. IoError when the
// file cannot be read, exceeds the limits, is damaged, is longer than its
// array, or holds something else than numbers.
Array load_npy(const std::string& path, const LoadLimits& limits = {});

// Writes an array, copied from its device, in C order. The file appears
// complete or not at all. DtypeError for bfloat16; IoError.
void save_npy(const std::string& path, const Array& a);

// The same with the bytes of a file in memory; the array is on native:0.
Array array_from_npy(std::span<const char> bytes,
                     const LoadLimits& limits = {});
std::string npy_from_array(const Array& a);

// What the rest of a stream, all of it, holds; arrays are on native:0.
// IoError, starting with the stream's where().
NpyValue read_npy(ByteStream& stream, const LoadLimits& limits);

// Writes a value. Text has the width of its longest string; trailing zero
// characters are lost, as in NumPy. DtypeError naming `operation` for
// bfloat16, ValueError for an undefined array, for text that is not UTF-8, or
// whose count does not fit its shape.
void write_npy(ByteSink& sink, const NpyValue& value,
               std::string_view operation);

}  // namespace catena::array
