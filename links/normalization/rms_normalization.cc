#include "catena/links/normalization/rms_normalization.h"

#include "catena/functions/normalization/rms_normalization.h"
#include "catena/links/sample_size.h"

namespace catena::links {

RmsNormalization::RmsNormalization(std::optional<int64_t> size,
                                   const RmsNormalizationOptions& options)
    : eps(options.eps),
      gamma(this, "gamma", options.initial_gamma,
            shape_of_sample("RmsNormalization", size)) {}

Variable RmsNormalization::forward(const Variable& x,
                                   const functions::BatchAxesOption& options) {
  const int64_t batch_axes = options.n_batch_axes;
  if (!gamma.is_initialized() && batch_axes >= 1 && x.ndim() > batch_axes) {
    gamma.initialize({sample_size(x, batch_axes)});
  }
  return functions::rms_normalization(x, gamma,
                                      {.eps = eps, .n_batch_axes = batch_axes});
}

}  // namespace catena::links
