#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

struct RmsNormalizationOptions {
  NamedFieldsOnly keywords = {};
  // Added to the mean of squares to avoid division by zero.
  double eps = 1e-5;
  // The number of leading batch axes of x; all others make a sample.
  int64_t n_batch_axes = 1;
};

// Divides each sample of x by its root mean square, then scales its elements:
//
//   y = gamma x / sqrt(mean(x^2) + eps)
//
// x is (B..., d...) with n_batch_axes axes B... and C elements in d...,
// floating; gamma is (C,) with x's dtype. y has x's shape. Throws InvalidType
// when dtypes or shapes do not match, ValueError when eps is negative or
// n_batch_axes is not at least 1.
//
// Zhang, Sennrich: Root Mean Square Layer Normalization, 2019.
Variable rms_normalization(const Variable& x, const Variable& gamma,
                           const RmsNormalizationOptions& options = {});

}  // namespace catena::functions
