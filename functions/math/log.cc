#include "catena/functions/math/log.h"

#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/engines/rules/exponential_ops.h"

namespace catena::functions {

Variable log(const Variable& x) { return elementwise<Log>(x); }
Variable log2(const Variable& x) { return elementwise<Log2>(x); }
Variable log10(const Variable& x) { return elementwise<Log10>(x); }

}  // namespace catena::functions
