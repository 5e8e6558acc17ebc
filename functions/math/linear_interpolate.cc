#include "catena/functions/math/linear_interpolate.h"

#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/math/internal/combination_ops.h"

namespace catena::functions {

Variable linear_interpolate(const Variable& p, const Variable& x,
                            const Variable& y) {
  return elementwise<LinearInterpolate>(p, x, y);
}

}  // namespace catena::functions
