#include "catena/links/normalization/layer_normalization.h"

#include "catena/functions/normalization/layer_normalization.h"
#include "catena/links/sample_size.h"

namespace catena::links {
LayerNormalization::LayerNormalization(std::optional<int64_t> size,
                                       const LayerNormalizationOptions& options)
    : eps(options.eps),
      gamma(this, "gamma", options.initial_gamma,
            shape_of_sample("LayerNormalization", size)),
      beta(this, "beta", options.initial_beta,
           shape_of_sample("LayerNormalization", size)) {}

Variable LayerNormalization::forward(
    const Variable& x, const functions::BatchAxesOption& options) {
  const int64_t batch_axes = options.n_batch_axes;
  if (!gamma.is_initialized() && batch_axes >= 1 && x.ndim() > batch_axes) {
    const Shape size{sample_size(x, batch_axes)};
    gamma.initialize(size);
    beta.initialize(size);
  }
  return functions::layer_normalization(
      x, gamma, beta, {.eps = eps, .n_batch_axes = batch_axes});
}

}  // namespace catena::links
