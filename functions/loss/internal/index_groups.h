#pragma once

#include <cstdint>

#include "catena/array/array.h"

namespace catena::functions {

// The positions of each number in [0, extent) among `indices`: positions
// [starts[v], starts[v + 1]) of `positions` hold, rising, where v stands in the
// flattened indices. Negative ones belong to no group. Both int32, on the
// device of the indices.
struct IndexGroups {
  Array starts;     // (extent + 1,)
  Array positions;  // of all indices; those of no group come first
};

// ShapeError unless the indices, which are int32 or int64, and the extent count
// less than 2^31.
IndexGroups group_indices(const Array& indices, int64_t extent);

}  // namespace catena::functions
