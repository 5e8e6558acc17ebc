#pragma once

#include <string>

#include "catena/array/array.h"
#include "catena/array/io/load_limits.h"

namespace catena::dataset {

// Reads an IDX file, the format of MNIST: two zero bytes, the dtype (8 uint8, 9
// int8, 11 int16, 12 int32, 13 float32, 14 float64), the number of axes, the
// extents as big-endian uint32, the elements in C order, big-endian. The file
// may be gzip-compressed. Returns an array on native:0. Throws IoError naming
// the file, expected and actual when it is damaged, has too few or too many
// bytes, or exceeds the limits.
Array read_idx(const std::string& path, const LoadLimits& limits = {});

}  // namespace catena::dataset
