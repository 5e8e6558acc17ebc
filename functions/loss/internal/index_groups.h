#pragma once

#include <cstdint>

#include "catena/array/array.h"

namespace catena::functions {

// Groups the positions of equal indices: positions[starts[v]] to
// positions[starts[v + 1] - 1] are, in ascending order, where the flattened
// indices equal v, for v in [0, extent). Negative indices belong to no group.
// Both arrays are int32, on the device of the indices.
struct IndexGroups {
  Array starts;     // (extent + 1,)
  Array positions;  // of all indices; those of no group come first
};

// Throws ShapeError unless the extent and the number of indices, which are
// int32 or int64, are below 2^31.
IndexGroups group_indices(const Array& indices, int64_t extent);

}  // namespace catena::functions
