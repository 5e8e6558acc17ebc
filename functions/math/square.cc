#include "catena/functions/math/square.h"

#include "catena/functions/elementwise/elementwise_node.h"
#include "catena/functions/math/exponential_ops.h"

namespace catena::functions {

Variable square(const Variable& x) { return elementwise<Square>(x); }

}  // namespace catena::functions
