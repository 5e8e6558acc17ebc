#include "catena/functions/noise/zoneout.h"

#include "catena/array/core/error.h"
#include "catena/array/random/random.h"
#include "catena/autograd/config.h"
#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/internal/given_or_drawn.h"
#include "catena/functions/noise/internal/noise_ops.h"

namespace catena::functions {

Variable zoneout(const Variable& h, const Variable& x,
                 const ZoneoutOptions& options) {
  const double ratio = options.ratio;
  if (!(ratio >= 0 && ratio <= 1)) {
    raise<ValueError>("zoneout: expected ratio in [0, 1], got ", ratio);
  }
  expect_same_shape("zoneout", {"h", h}, {"x", x});
  if (!config().train) {
    if (options.return_mask != nullptr) *options.return_mask = Array();
    return x;
  }
  const Array mask = given_or_drawn(
      "zoneout", {"h", h}, {"mask", options.mask}, options.return_mask,
      [&](array::random::Generator& generator) {
        return generator.bernoulli(1 - ratio, h.shape(), h.dtype());
      });
  return elementwise<Zoneout>({.is_drawn = !options.mask.defined()}, h, x,
                              as_variable(mask));
}

}  // namespace catena::functions
