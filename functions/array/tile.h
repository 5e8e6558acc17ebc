#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// Tiles x reps[i] times along axis i; the shorter of x.shape and `reps` is
// extended with leading ones. Any dtype; gradients are summed over the tiles.
// Throws ValueError for a negative count.
Variable tile(const Variable& x, const Shape& reps);
inline Variable tile(const Variable& x, int64_t reps) {
  return tile(x, Shape{reps});
}

}  // namespace catena::functions
