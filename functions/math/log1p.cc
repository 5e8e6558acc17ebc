#include "catena/functions/math/log1p.h"

#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/engines/rules/exponential_ops.h"

namespace catena::functions {

Variable log1p(const Variable& x) { return elementwise<Log1p>(x); }

}  // namespace catena::functions
