#include "catena/functions/loss/internal/row_distance.h"

#include "catena/functions/loss/internal/row_sum.h"

namespace catena::functions {

Variable squared_row_distance(const Variable& x0, const Variable& x1) {
  return apply<RowSum<SquaredDifference>>({x0, x1});
}

}  // namespace catena::functions
