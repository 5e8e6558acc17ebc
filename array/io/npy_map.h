#pragma once

#include <cstdint>
#include <string>

#include "catena/array/array.h"
#include "catena/array/io/load_limits.h"

namespace catena::array {

enum class MapMode : uint8_t {
  kCopyOnWrite,  // what is written stays in this process (NumPy's "c")
  kReadWrite,    // what is written goes to the file (NumPy's "r+")
};

// The array of a .npy file, on native:0, whose memory is the file's: nothing is
// read before it is used, so that the file may be larger than the memory. In
// Fortran order it is a view with such strides. The mapping lasts as long as an
// array refers to it; the file must not become shorter in the meantime, for
// that the system ends the process.
// IoError as load_npy's, and for what only a copy can represent: the other byte
// order, data that are not aligned to their size, text; load_npy reads these
// (but the last).
Array map_npy(const std::string& path, MapMode mode = MapMode::kCopyOnWrite,
              const LoadLimits& limits = {});

}  // namespace catena::array
