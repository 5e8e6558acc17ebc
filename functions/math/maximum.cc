#include "catena/functions/math/maximum.h"

#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/math/internal/difference_ops.h"

namespace catena::functions {

Variable maximum(const Variable& x1, const Variable& x2) {
  return elementwise<Maximum>(x1, x2);
}

}  // namespace catena::functions
