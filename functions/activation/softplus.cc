#include "catena/functions/activation/softplus.h"

#include <cmath>

#include "catena/array/core/error.h"
#include "catena/functions/activation/internal/smooth_ops.h"
#include "catena/functions/engines/elementwise/elementwise_node.h"

namespace catena::functions {

Variable softplus(const Variable& x, const SoftplusOptions& options) {
  if (options.beta == 0 || !std::isfinite(options.beta)) {
    raise<ValueError>("softplus: expected a finite beta other than 0, got ",
                      options.beta);
  }
  return elementwise<Softplus>({options.beta}, x);
}

}  // namespace catena::functions
