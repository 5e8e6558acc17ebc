#pragma once

#include <string>

#include "catena/array/array.h"
#include "catena/array/io/file_map.h"
#include "catena/array/io/load_limits.h"

namespace catena::array {

// Maps the array of a .npy file into memory, on native:0. Pages are read on
// first use, so the file may exceed main memory. Fortran order gives Fortran
// strides. The mapping lasts until the last array that refers to it is
// destroyed; the file must not be truncated meanwhile, or the system kills the
// process (SIGBUS). Throws IoError as load_npy does, and for data that would
// need a copy: the other byte order and misaligned data, which load_npy reads,
// and text.
Array map_npy(const std::string& path, MapMode mode = MapMode::kCopyOnWrite,
              const LoadLimits& limits = {});

}  // namespace catena::array
