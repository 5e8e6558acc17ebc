#include "catena/functions/math/square.h"

#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/engines/rules/exponential_ops.h"

namespace catena::functions {

Variable square(const Variable& x) { return elementwise<Square>(x); }

}  // namespace catena::functions
