#include "catena/functions/activation/tanh.h"

#include "catena/functions/activation/internal/activation_ops.h"
#include "catena/functions/engines/elementwise/elementwise_node.h"

namespace catena::functions {

Variable tanh(const Variable& x) { return elementwise<Tanh>(x); }

}  // namespace catena::functions
