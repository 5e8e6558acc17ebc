#include "catena/functions/activation/rrelu.h"

#include "catena/array/core/error.h"
#include "catena/array/random/random.h"
#include "catena/autograd/config.h"
#include "catena/functions/activation/internal/piecewise_ops.h"
#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/internal/given_or_drawn.h"

namespace catena::functions {

Variable rrelu(const Variable& x, const RReluOptions& options) {
  const double l = options.l;
  const double u = options.u;
  if (!(0 <= l && l < u && u < 1)) {
    raise<ValueError>("rrelu: expected 0 <= l < u < 1, got l ", l, " and u ",
                      u);
  }
  if (!config().train) {
    if (options.return_r != nullptr) *options.return_r = Array();
    return elementwise<LeakyRelu>({(l + u) / 2}, x);
  }
  const Array r =
      given_or_drawn("rrelu", {"x", x}, {"r", options.r}, options.return_r,
                     [&](array::random::Generator& generator) {
                       return generator.uniform(l, u, x.shape(), x.dtype());
                     });
  return elementwise<RRelu>({.is_drawn = !options.r.defined()}, x,
                            as_variable(r));
}

}  // namespace catena::functions
