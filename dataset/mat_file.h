#pragma once

#include <map>
#include <string>

#include "catena/array/array.h"
#include "catena/array/io/load_limits.h"

namespace catena::dataset {

// The numeric arrays of a MATLAB file of version 5 to 7 by their names:
// "Level 5 MAT-File Format" (MathWorks), either byte order, compressed or not.
// Values have the dtype of the variable's class, whatever the file packs them
// into; a logical array is uint8. MATLAB's first axis varies fastest, so that
// an array of a.shape here is a transposed view. On native:0. Text, cells,
// structs, objects and sparse matrices are left out, and so are imaginary
// parts.
//
// IoError naming the file, what was expected and what came when it is damaged,
// of another version (7.3 is HDF5) or exceeds the limits.
std::map<std::string, Array> read_mat(const std::string& path,
                                      const LoadLimits& limits = {});

}  // namespace catena::dataset
