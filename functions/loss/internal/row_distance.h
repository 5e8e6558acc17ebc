#pragma once

#include "catena/autograd/variable.h"
#include "catena/functions/loss/internal/row_sum.h"

namespace catena::functions {

// d2[n] = sum over k of (x0[n, k] - x1[n, k])^2, in one pass; x0 and x1 are (N,
// K) with the same floating dtype, as checked by check_same_shape.
inline Variable squared_row_distance(const Variable& x0, const Variable& x1) {
  return apply<RowSum<SquaredDifference>>({x0, x1});
}

}  // namespace catena::functions
