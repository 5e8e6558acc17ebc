#include "catena/functions/array/broadcast_to.h"

#include "catena/functions/internal/broadcasting.h"

namespace catena::functions {

Variable broadcast_to(const Variable& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  return apply<BroadcastTo>({x}, shape);
}

}  // namespace catena::functions
