#include "catena/functions/math/bias.h"

#include "catena/functions/math/internal/aligned.h"
#include "catena/functions/math/operators.h"

namespace catena::functions {

Variable bias(const Variable& x, const Variable& y, const AxisOption& options) {
  return x + aligned("bias", x, {"y", y}, options.axis);
}

}  // namespace catena::functions
