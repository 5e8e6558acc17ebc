#include "catena/links/normalization/decorrelated_batch_normalization.h"

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/autograd/config.h"
#include "catena/functions/normalization/decorrelated_batch_normalization.h"

namespace catena::links {

DecorrelatedBatchNormalization::DecorrelatedBatchNormalization(
    int64_t size, const DecorrelatedBatchNormalizationOptions& options)
    : groups(options.groups),
      decay(options.decay),
      eps(options.eps),
      avg_mean(this, "avg_mean"),
      avg_projection(this, "avg_projection") {
  if (groups < 1 || size < 1 || size % groups != 0) {
    raise<ValueError>(
        "DecorrelatedBatchNormalization: expected groups that divide the size, "
        "got ",
        groups, " and ", size);
  }
  if (!(decay >= 0 && decay <= 1) || !(eps >= 0)) {
    raise<ValueError>(
        "DecorrelatedBatchNormalization: expected decay in [0, 1] and eps of "
        "at least 0, got ",
        decay, " and ", eps);
  }
  const Dtype dtype = get_dtype(options.dtype);
  const int64_t channels = size / groups;
  avg_mean = array::zeros({groups, channels}, dtype);
  avg_projection = array::identity(channels, dtype)
                       .broadcast_to({groups, channels, channels})
                       .copy();
  add_persistent("N", N);
}

Variable DecorrelatedBatchNormalization::forward(const Variable& x) {
  if (!config().train) {
    return functions::fixed_decorrelated_batch_normalization(
        x, avg_mean, avg_projection, {.groups = groups});
  }
  return functions::decorrelated_batch_normalization(
      x, {.groups = groups,
          .eps = eps,
          .running_mean = avg_mean,
          .running_projection = avg_projection,
          .decay = decay});
}

}  // namespace catena::links
