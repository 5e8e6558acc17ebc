#include "catena/functions/math/squared_difference.h"

#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/math/internal/difference_ops.h"

namespace catena::functions {

Variable squared_difference(const Variable& x0, const Variable& x1) {
  return elementwise<SquaredDifference>(x0, x1);
}

}  // namespace catena::functions
