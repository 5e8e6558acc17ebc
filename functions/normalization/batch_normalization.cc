#include "catena/functions/normalization/batch_normalization.h"

#include "catena/autograd/autocast.h"
#include "catena/functions/normalization/internal/batch_normalization_node.h"

namespace catena::functions {

Variable batch_normalization(const Variable& x, const Variable& gamma,
                             const Variable& beta,
                             const BatchNormalizationOptions& options) {
  const RunningStatistics running = running_statistics(options);
  check_batch_options(options.eps, running, gamma, "batch_normalization");
  if (options.residual.defined()) {
    const Variable residual = internal::autocast_like(options.residual, x);
    return apply<BatchNormalization>({x, gamma, beta, residual}, options.axis,
                                     options.eps, &running, options.relu);
  }
  return apply<BatchNormalization>({x, gamma, beta}, options.axis, options.eps,
                                   &running, options.relu);
}

Variable fixed_batch_normalization(
    const Variable& x, const Variable& gamma, const Variable& beta,
    const Variable& mean, const Variable& var,
    const FixedBatchNormalizationOptions& options) {
  check_eps(options.eps, "fixed_batch_normalization");
  return apply<FixedBatchNormalization>({x, gamma, beta, mean, var},
                                        options.axis, options.eps);
}

}  // namespace catena::functions
