#pragma once

#include "catena/array/axis.h"
#include "catena/autograd/variable.h"

namespace catena::functions {

struct BatchNormalizationOptions {
  NamedFieldsOnly keywords = {};
  // Added to the variance to avoid division by zero.
  double eps = 2e-5;
  // Moving averages with gamma's shape, updated in place if defined:
  //   running = decay running + (1 - decay) of this batch,
  // where the variance is the unbiased estimate, m / (m - 1) times the batch's.
  Array running_mean = {};
  Array running_var = {};
  double decay = 0.9;
  // The axes that statistics are computed over; defaults to all but the second.
  AxisSet axis = {};
  // Added to the result, if defined: like x. And whether relu follows. Both
  // save the passes over memory that functions of their own would take.
  Variable residual = {};
  bool relu = false;
};

// Normalizes each channel of x to mean 0 and variance 1 over the batch, then
// scales and shifts it:
//
//   y = gamma (x - mean(x)) / sqrt(var(x) + eps) + beta
//
// With `residual` and `relu`: max(y + residual, 0).
//
// x is (N, C, d...), floating; gamma and beta have the shape of x without
// `axis`, by default (C,), and the same floating dtype, which may differ from
// x's. y has x's shape and dtype; statistics are computed in float32, or in
// float64 for float64.
//
// On a GPU this is three launches, and as many for the gradients; cuDNN takes
// their place only with config().use_cudnn at kAlways.
//
// Throws InvalidType when dtypes or shapes do not match, ValueError when eps is
// negative, an axis is repeated, or the running statistics do not match gamma.
//
// Ioffe, Szegedy: Batch Normalization: Accelerating Deep Network Training by
// Reducing Internal Covariate Shift, 2015.
Variable batch_normalization(const Variable& x, const Variable& gamma,
                             const Variable& beta,
                             const BatchNormalizationOptions& options = {});

struct FixedBatchNormalizationOptions {
  NamedFieldsOnly keywords = {};
  double eps = 2e-5;
  AxisSet axis = {};
};

// Batch normalization with given mean and variance, of gamma's shape and dtype;
// they get gradients too.
Variable fixed_batch_normalization(
    const Variable& x, const Variable& gamma, const Variable& beta,
    const Variable& mean, const Variable& var,
    const FixedBatchNormalizationOptions& options = {});

}  // namespace catena::functions
