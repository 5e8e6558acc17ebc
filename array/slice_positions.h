#pragma once

#include <cstdint>
#include <string_view>

#include "catena/array/index.h"

namespace catena::array {

// The positions that a slice selects of a sequence: start, start + step, ...
struct SlicePositions {
  int64_t start;
  int64_t step;
  int64_t count;

  int64_t operator[](int64_t i) const { return start + i * step; }
};

// As in Python: bounds outside the sequence are clipped; the step of fewer than
// two positions is 1. Throws IndexError, with the caller's name, for a step of
// 0.
SlicePositions slice_positions(std::string_view who, const Slice& slice,
                               int64_t size);

}  // namespace catena::array
