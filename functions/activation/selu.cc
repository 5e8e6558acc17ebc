#include "catena/functions/activation/selu.h"

#include "catena/functions/activation/internal/smooth_ops.h"
#include "catena/functions/engines/elementwise/elementwise_node.h"

namespace catena::functions {

Variable selu(const Variable& x, const SeluOptions& options) {
  return elementwise<Selu>({options.alpha, options.scale}, x);
}

}  // namespace catena::functions
