#include "catena/functions/math/clip.h"

#include <cmath>

#include "catena/array/error.h"
#include "catena/functions/elementwise/elementwise_node.h"
#include "catena/functions/math/stepwise_ops.h"

namespace catena::functions {

Variable clip(const Variable& x, std::optional<double> x_min,
              std::optional<double> x_max) {
  const double least = x_min.value_or(-INFINITY);
  const double most = x_max.value_or(INFINITY);
  if (!(least < most)) {
    raise<ValueError>("clip: expected x_min < x_max, got ", least, " and ",
                      most);
  }
  return elementwise<Clip>({least, most}, x);
}

}  // namespace catena::functions
