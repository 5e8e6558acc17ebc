#include "catena/functions/math/expm1.h"

#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/engines/rules/exponential_ops.h"

namespace catena::functions {

Variable expm1(const Variable& x) { return elementwise<Expm1>(x); }

}  // namespace catena::functions
