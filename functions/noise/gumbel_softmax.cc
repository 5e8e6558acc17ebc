#include "catena/functions/noise/gumbel_softmax.h"

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/functions/activation/softmax.h"
#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/internal/given_or_drawn.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/noise/internal/noise_ops.h"

namespace catena::functions {
namespace {

// -log(-log(u)) for a uniform u, which must not be 0, nor round to 1 in 16
// bits.
Array gumbel_numbers(array::random::Generator& generator, const Shape& shape,
                     Dtype dtype) {
  constexpr double kMin = 1e-37;
  const Dtype wide =
      dtype == Dtype::kFloat64 ? Dtype::kFloat64 : Dtype::kFloat32;
  const Array u = generator.uniform(kMin, 1, shape, wide);
  return (-array::log(-array::log(u))).astype(dtype);
}

}  // namespace

Variable gumbel_softmax(const Variable& log_pi,
                        const GumbelSoftmaxOptions& options) {
  if (!(options.tau > 0)) {
    raise<ValueError>("gumbel_softmax: expected tau > 0, got ", options.tau);
  }
  const Array noise = given_or_drawn(
      "gumbel_softmax", {"log_pi", log_pi}, {"noise", options.noise},
      options.return_noise, [&](array::random::Generator& generator) {
        return gumbel_numbers(generator, log_pi.shape(), log_pi.dtype());
      });
  if (log_pi.ndim() == 0) {  // one category
    return as_variable(array::ones_like(log_pi.data()));
  }
  const Variable noisy = elementwise<GumbelNoise>(
      {.is_drawn = !options.noise.defined()}, log_pi, as_variable(noise));
  return softmax(noisy / options.tau, {.axis = options.axis});
}

}  // namespace catena::functions
