#include "catena/functions/activation/sigmoid.h"

#include "catena/functions/activation/internal/activation_ops.h"
#include "catena/functions/engines/elementwise/elementwise_node.h"

namespace catena::functions {

Variable sigmoid(const Variable& x) { return elementwise<Sigmoid>(x); }

}  // namespace catena::functions
