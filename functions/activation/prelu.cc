#include "catena/functions/activation/prelu.h"

#include "catena/functions/activation/internal/piecewise_ops.h"
#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/math/internal/aligned.h"

namespace catena::functions {

Variable prelu(const Variable& x, const Variable& W) {
  return elementwise<PRelu>(x, aligned("prelu", x, {"W", W}, 1));
}

}  // namespace catena::functions
