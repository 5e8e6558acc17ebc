#include "catena/functions/array/stack.h"

#include "catena/functions/array/internal/join.h"

namespace catena::functions {

Variable stack(std::span<const Variable> xs, const AxisOption& options) {
  return join("stack", xs, options.axis, JoinAxis::kNew);
}

}  // namespace catena::functions
