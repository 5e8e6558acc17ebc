#pragma once

#include <span>
#include <vector>

#include "catena/array/array.h"

namespace catena::training {

// The numbers in 0-d arrays, of any dtypes and devices, in this order. The host
// waits once, for one copy, however many there are. Throws ShapeError for
// arrays of other shapes.
std::vector<double> read_scalars(std::span<const Array> scalars);

}  // namespace catena::training
