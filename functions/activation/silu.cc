#include "catena/functions/activation/silu.h"

#include "catena/functions/activation/internal/gelu_ops.h"
#include "catena/functions/engines/elementwise/elementwise_node.h"

namespace catena::functions {

Variable silu(const Variable& x) { return elementwise<Silu>(x); }

}  // namespace catena::functions
