#include "catena/functions/activation/tanh.h"

#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/engines/rules/activation_ops.h"

namespace catena::functions {

Variable tanh(const Variable& x) { return elementwise<Tanh>(x); }

}  // namespace catena::functions
