#include "catena/functions/math/absolute.h"

#include "catena/functions/elementwise/elementwise_node.h"
#include "catena/functions/math/arithmetic_ops.h"

namespace catena::functions {

Variable absolute(const Variable& x) { return elementwise<Absolute>(x); }

}  // namespace catena::functions
