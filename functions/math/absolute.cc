#include "catena/functions/math/absolute.h"

#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/engines/rules/arithmetic_ops.h"

namespace catena::functions {

Variable absolute(const Variable& x) { return elementwise<Absolute>(x); }

}  // namespace catena::functions
