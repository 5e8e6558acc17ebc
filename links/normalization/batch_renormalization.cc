#include "catena/links/normalization/batch_renormalization.h"

#include "catena/array/core/error.h"
#include "catena/autograd/config.h"
#include "catena/functions/normalization/batch_renormalization.h"

namespace catena::links {

BatchRenormalization::BatchRenormalization(
    std::optional<Shape> size, double rmax, double dmax,
    const BatchRenormalizationOptions& options)
    : BatchNormalization(size, options),
      rmax(rmax),
      dmax(dmax),
      freeze_running_statistics_(options.freeze_running_statistics) {
  if (!(rmax >= 1) || !(dmax >= 0)) {
    raise<ValueError>(
        "BatchRenormalization: expected rmax >= 1 and dmax >= 0, got ", rmax,
        " and ", dmax);
  }
}

Variable BatchRenormalization::forward(
    const Variable& x, const BatchNormalizationCallOptions& options) {
  if (!config().train) return BatchNormalization::forward(x, options);
  initialize(x);
  const Variable y = functions::batch_renormalization(
      x, gamma_or_ones(), beta_or_zeros(), rmax, dmax,
      {.eps = eps,
       .running_mean = avg_mean,
       .running_var = avg_var,
       .decay = decay_of_call(options),
       .update_statistics = !freeze_running_statistics_,
       .axis = axis_});
  return finish(y, options);
}

}  // namespace catena::links
