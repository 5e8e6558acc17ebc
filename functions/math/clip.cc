#include "catena/functions/math/clip.h"

#include <cmath>

#include "catena/array/core/error.h"
#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/math/internal/stepwise_ops.h"

namespace catena::functions {

Variable clip(const Variable& x, std::optional<double> x_min,
              std::optional<double> x_max) {
  const double min = x_min.value_or(-INFINITY);
  const double max = x_max.value_or(INFINITY);
  if (!(min < max)) {
    raise<ValueError>("clip: expected x_min < x_max, got ", min, " and ", max);
  }
  return elementwise<Clip>({min, max}, x);
}

}  // namespace catena::functions
