#include "catena/functions/math/maximum.h"

#include "catena/functions/elementwise/elementwise_node.h"
#include "catena/functions/math/difference_ops.h"

namespace catena::functions {

Variable maximum(const Variable& x1, const Variable& x2) {
  return elementwise<Maximum>(x1, x2);
}

}  // namespace catena::functions
