#include "catena/functions/activation/leaky_relu.h"

#include "catena/functions/activation/internal/piecewise_ops.h"
#include "catena/functions/engines/elementwise/elementwise_node.h"

namespace catena::functions {

Variable leaky_relu(const Variable& x, const LeakyReluOptions& options) {
  return elementwise<LeakyRelu>({options.slope}, x);
}

}  // namespace catena::functions
