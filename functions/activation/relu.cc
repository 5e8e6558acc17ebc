#include "catena/functions/activation/relu.h"

#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/engines/rules/activation_ops.h"

namespace catena::functions {

Variable relu(const Variable& x) { return elementwise<Relu>(x); }

}  // namespace catena::functions
