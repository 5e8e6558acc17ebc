#include "catena/functions/math/exp.h"

#include "catena/functions/elementwise/elementwise_node.h"
#include "catena/functions/math/exponential_ops.h"

namespace catena::functions {

Variable exp(const Variable& x) { return elementwise<Exp>(x); }

}  // namespace catena::functions
