#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "catena/array/io/byte_source.h"

namespace catena::array {

// What may be done with a file that is mapped into memory.
enum class MapMode : uint8_t {
  kCopyOnWrite,  // writes stay private to the process (NumPy's "c")
  kReadWrite,    // writes go to the file (NumPy's "r+")
};

// Maps a whole file, which is not empty, into memory. `source` is the same
// file, opened before. Throws IoError, also when the file has another size by
// now. The file must not be truncated meanwhile: the system would kill the
// process (SIGBUS).
std::shared_ptr<char> map_file(const std::string& path, MapMode mode,
                               const ByteSource& source);

}  // namespace catena::array
