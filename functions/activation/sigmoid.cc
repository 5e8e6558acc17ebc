#include "catena/functions/activation/sigmoid.h"

#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/engines/rules/activation_ops.h"

namespace catena::functions {

Variable sigmoid(const Variable& x) { return elementwise<Sigmoid>(x); }

}  // namespace catena::functions
