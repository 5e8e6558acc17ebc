#include "catena/functions/activation/swish.h"

#include "catena/functions/activation/internal/smooth_ops.h"
#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/math/internal/aligned.h"

namespace catena::functions {

Variable swish(const Variable& x, const Variable& beta) {
  return elementwise<Swish>(x, aligned("swish", x, {"beta", beta}, 1));
}

}  // namespace catena::functions
