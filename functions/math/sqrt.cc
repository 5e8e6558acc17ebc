#include "catena/functions/math/sqrt.h"

#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/engines/rules/exponential_ops.h"

namespace catena::functions {

Variable sqrt(const Variable& x) { return elementwise<Sqrt>(x); }
Variable rsqrt(const Variable& x) { return elementwise<Rsqrt>(x); }

}  // namespace catena::functions
