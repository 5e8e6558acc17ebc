#include "catena/training/communicators/multi_node_batch_normalization.h"

#include "catena/autograd/config.h"
#include "catena/training/communicators/functions.h"

namespace catena::training::communicators {

Variable MultiNodeBatchNormalization::forward(
    const Variable& x, const links::BatchNormalizationCallOptions& options) {
  if (!config().train) return BatchNormalization::forward(x, options);
  initialize(x);
  return multi_node_batch_normalization(x, gamma_or_ones(), beta_or_zeros(),
                                        *communicator_,
                                        {.eps = eps,
                                         .running_mean = avg_mean,
                                         .running_var = avg_var,
                                         .decay = decay_of_call(options),
                                         .axis = axis_,
                                         .residual = options.residual,
                                         .relu = options.relu});
}

}  // namespace catena::training::communicators
