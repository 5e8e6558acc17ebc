#pragma once

#include <cstdint>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct GumbelSoftmaxOptions {
  // The smaller, the closer to a choice.
  double tau = 0.1;
  int64_t axis = 1;
  // Numbers of the standard Gumbel distribution, of log_pi's shape and dtype.
  // Drawn from the generator of log_pi's device when undefined.
  Array noise = {};
  // Where the numbers are put that were used.
  Array* return_noise = nullptr;
};

// A sample of a relaxed categorical distribution whose probabilities are
// exp(log_pi) along an axis, up to a factor: softmax((log_pi + noise) / tau).
// log_pi floating; 1 when it has no axes. InvalidType, also for an axis out of
// range or noise that is not like log_pi; ValueError unless tau > 0. (Jang et
// al., 2016.)
Variable gumbel_softmax(const Variable& log_pi,
                        const GumbelSoftmaxOptions& options = {});

}  // namespace catena::functions
