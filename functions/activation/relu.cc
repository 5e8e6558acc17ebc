#include "catena/functions/activation/relu.h"

#include "catena/functions/activation/activation_ops.h"
#include "catena/functions/elementwise/elementwise_node.h"

namespace catena::functions {

Variable relu(const Variable& x) { return elementwise<Relu>(x); }

}  // namespace catena::functions
