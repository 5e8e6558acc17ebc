#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

struct LayerNormalizationOptions {
  NamedFieldsOnly keywords = {};
  // Added to the variance to avoid division by zero.
  double eps = 1e-5;
};

// Normalizes each sample of x to mean 0 and variance 1, then scales and shifts
// its elements:
//
//   y = gamma (x - mean) / sqrt(var + eps) + beta
//
// x is (N, C), floating; gamma and beta are (C,) with x's dtype. Throws
// InvalidType when dtypes or shapes do not match, ValueError when eps is
// negative.
//
// Ba, Kiros, Hinton: Layer Normalization, 2016.
Variable layer_normalization(const Variable& x, const Variable& gamma,
                             const Variable& beta,
                             const LayerNormalizationOptions& options = {});

}  // namespace catena::functions
