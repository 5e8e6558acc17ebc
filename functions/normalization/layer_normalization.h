#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

struct LayerNormalizationOptions {
  NamedFieldsOnly keywords = {};
  // Added to the variance to avoid division by zero.
  double eps = 1e-5;
  // The number of leading batch axes of x; all others make a sample.
  int64_t n_batch_axes = 1;
};

// Normalizes each sample of x to mean 0 and variance 1, then scales and shifts
// its elements:
//
//   y = gamma (x - mean) / sqrt(var + eps) + beta
//
// x is (B..., d...) with n_batch_axes axes B... and C elements in d...,
// floating; gamma and beta are (C,) with x's dtype. y has x's shape. Throws
// InvalidType when dtypes or shapes do not match, ValueError when eps is
// negative or n_batch_axes is not at least 1.
//
// Ba, Kiros, Hinton: Layer Normalization, 2016.
Variable layer_normalization(const Variable& x, const Variable& gamma,
                             const Variable& beta,
                             const LayerNormalizationOptions& options = {});

}  // namespace catena::functions
