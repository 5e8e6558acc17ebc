#include "catena/functions/math/minimum.h"

#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/math/internal/difference_ops.h"

namespace catena::functions {

Variable minimum(const Variable& x1, const Variable& x2) {
  return elementwise<Minimum>(x1, x2);
}

}  // namespace catena::functions
