#include "catena/functions/noise/gaussian.h"

#include "catena/array/random/random.h"
#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/internal/given_or_drawn.h"
#include "catena/functions/noise/internal/noise_ops.h"

namespace catena::functions {

Variable gaussian(const Variable& mean, const Variable& ln_var,
                  const GaussianOptions& options) {
  expect_same_shape("gaussian", {"mean", mean}, {"ln_var", ln_var});
  const Array eps = given_or_drawn(
      "gaussian", {"mean", mean}, {"eps", options.eps}, options.return_eps,
      [&](array::random::Generator& generator) {
        return generator.normal(0, 1, mean.shape(), mean.dtype());
      });
  return elementwise<Gaussian>({.is_drawn = !options.eps.defined()}, mean,
                               ln_var, as_variable(eps));
}

}  // namespace catena::functions
