#include "catena/functions/activation/elu.h"

#include "catena/functions/activation/internal/smooth_ops.h"
#include "catena/functions/engines/elementwise/elementwise_node.h"

namespace catena::functions {

Variable elu(const Variable& x, const EluOptions& options) {
  return elementwise<Elu>({options.alpha}, x);
}

}  // namespace catena::functions
