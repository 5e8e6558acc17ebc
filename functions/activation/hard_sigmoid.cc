#include "catena/functions/activation/hard_sigmoid.h"

#include "catena/functions/activation/internal/piecewise_ops.h"
#include "catena/functions/engines/elementwise/elementwise_node.h"

namespace catena::functions {

Variable hard_sigmoid(const Variable& x) { return elementwise<HardSigmoid>(x); }

}  // namespace catena::functions
