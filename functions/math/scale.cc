#include "catena/functions/math/scale.h"

#include "catena/functions/math/internal/aligned.h"
#include "catena/functions/math/operators.h"

namespace catena::functions {

Variable scale(const Variable& x, const Variable& y,
               const AxisOption& options) {
  return x * aligned("scale", x, {"y", y}, options.axis);
}

}  // namespace catena::functions
