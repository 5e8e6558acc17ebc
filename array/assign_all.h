#pragma once

#include <span>

#include "catena/array/array.h"

namespace catena::array {

// A copy from one array to another of the same shape, on the same device.
struct Assignment {
  Array to;
  Array from;
};

// Assigns each `from` to its `to`, cast to its dtype. A GPU does up to 64 in
// one launch if they need no cast and their elements lie in rows a constant
// distance apart; the others are assigned one by one. No `to` may share memory
// with another array of the list. Throws ShapeError, DeviceError, and
// ValueError for a `to` whose elements share memory.
void assign_all(std::span<const Assignment> assignments);

}  // namespace catena::array
