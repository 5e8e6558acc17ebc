#pragma once

#include <cstdint>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct LocalResponseNormalizationOptions {
  NamedFieldsOnly keywords = {};
  // The width of the channel window, n / 2 to each side.
  int64_t n = 5;
  double k = 2;
  double alpha = 1e-4;
  double beta = 0.75;
};

// Normalizes each element by the energy of the surrounding channels:
//
//   y[c] = x[c] / (k + alpha sum of x[i]^2 for |i - c| <= n / 2)^beta
//
// x is (N, C, ...), floating. alpha is not divided by n. Throws InvalidType for
// any other dtype or fewer axes, ValueError when n is not positive.
//
// Krizhevsky, Sutskever, Hinton: ImageNet Classification with Deep
// Convolutional Neural Networks, 2012.
Variable local_response_normalization(
    const Variable& x, const LocalResponseNormalizationOptions& options = {});

}  // namespace catena::functions
