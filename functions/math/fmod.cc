#include "catena/functions/math/fmod.h"

#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/math/internal/stepwise_ops.h"

namespace catena::functions {

Variable fmod(const Variable& x, const Variable& divisor) {
  return elementwise<Fmod>(x, divisor);
}

}  // namespace catena::functions
