#pragma once

#include "catena/array/array.h"

namespace catena::functions {

// The part that is right of those that count, both bool; 0 when none counts.
// 0-d, of this dtype.
Array hit_rate(const Array& right, const Array& counts, Dtype dtype);

}  // namespace catena::functions
