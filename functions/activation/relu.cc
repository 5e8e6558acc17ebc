#include "catena/functions/activation/relu.h"

#include "catena/functions/activation/internal/activation_ops.h"
#include "catena/functions/engines/elementwise/elementwise_node.h"

namespace catena::functions {

Variable relu(const Variable& x) { return elementwise<Relu>(x); }

}  // namespace catena::functions
