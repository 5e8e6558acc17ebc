#include "catena/functions/math/exp.h"

#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/engines/rules/exponential_ops.h"

namespace catena::functions {

Variable exp(const Variable& x) { return elementwise<Exp>(x); }

}  // namespace catena::functions
