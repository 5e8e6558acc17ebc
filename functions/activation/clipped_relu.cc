#include "catena/functions/activation/clipped_relu.h"

#include "catena/array/core/error.h"
#include "catena/functions/activation/internal/piecewise_ops.h"
#include "catena/functions/engines/elementwise/elementwise_node.h"

namespace catena::functions {

Variable clipped_relu(const Variable& x, const ClippedReluOptions& options) {
  if (!(options.z > 0)) {
    raise<ValueError>("clipped_relu: expected z > 0, got ", options.z);
  }
  return elementwise<ClippedRelu>({options.z}, x);
}

Variable relu6(const Variable& x) { return clipped_relu(x, {.z = 6}); }

}  // namespace catena::functions
