#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// x reps[i] times side by side along axis i, where the shorter one of x.shape
// and `reps` counts as having ones in front. Any dtype; the gradients of what
// was repeated add up. ValueError for a negative number.
Variable tile(const Variable& x, const Shape& reps);
inline Variable tile(const Variable& x, int64_t reps) {
  return tile(x, Shape{reps});
}

}  // namespace catena::functions
