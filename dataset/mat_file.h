#pragma once

#include <map>
#include <string>

#include "catena/array/array.h"
#include "catena/array/io/load_limits.h"

namespace catena::dataset {

// Reads the numeric arrays of a MATLAB file of version 5 to 7, by name: "Level
// 5 MAT-File Format" (MathWorks), either byte order, compressed or not. The
// dtype is that of the variable's class, whatever type the file stores the
// values in; logical arrays are uint8. Results are on native:0 and are
// transposed views, since MATLAB stores the first axis contiguously. Text,
// cells, structs, objects, sparse matrices and imaginary parts are skipped.
//
// Throws IoError naming the file, expected and actual when it is damaged, of
// another version (7.3 is HDF5) or exceeds the limits.
std::map<std::string, Array> read_mat(const std::string& path,
                                      const LoadLimits& limits = {});

}  // namespace catena::dataset
