#pragma once

#include "catena/array/array.h"

namespace catena::functions {

// The fraction of counted elements that are right (both bool arrays), 0-d with
// this dtype; 0 when nothing counts.
Array hit_rate(const Array& right, const Array& counts, Dtype dtype);

}  // namespace catena::functions
