#include "catena/functions/math/fmod.h"

#include "catena/functions/elementwise/elementwise_node.h"
#include "catena/functions/math/stepwise_ops.h"

namespace catena::functions {

Variable fmod(const Variable& x, const Variable& divisor) {
  return elementwise<Fmod>(x, divisor);
}

}  // namespace catena::functions
