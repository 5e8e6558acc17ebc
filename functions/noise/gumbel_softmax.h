#pragma once

#include <cstdint>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct GumbelSoftmaxOptions {
  NamedFieldsOnly keywords = {};
  // The temperature: the smaller, the closer to one-hot samples.
  double tau = 0.1;
  int64_t axis = 1;
  // Standard Gumbel samples with log_pi's shape and dtype. By default drawn
  // from the generator of log_pi's device.
  Array noise = {};
  // If set, receives the samples that were used.
  Array* return_noise = nullptr;
};

// Draws from a relaxed categorical distribution with unnormalized
// log-probabilities log_pi along an axis: softmax((log_pi + noise) / tau).
// log_pi is floating; a 0-d log_pi gives 1. Throws InvalidType for any other
// dtype, an axis out of range or noise whose shape or dtype differs from
// log_pi's; ValueError unless tau > 0. (Jang et al., 2016.)
Variable gumbel_softmax(const Variable& log_pi,
                        const GumbelSoftmaxOptions& options = {});

}  // namespace catena::functions
