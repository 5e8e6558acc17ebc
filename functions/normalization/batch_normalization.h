#pragma once

#include "catena/autograd/variable.h"
#include "catena/functions/axes.h"

namespace catena::functions {

struct BatchNormalizationOptions {
  // Added to the variance, so that it is not 0.
  double eps = 2e-5;
  // Moving averages, of gamma's shape, which the call updates in place where
  // they are given:
  //   running = decay running + (1 - decay) of this batch,
  // where the variance is the unbiased one, m / (m - 1) times the batch's.
  Array running_mean = {};
  Array running_var = {};
  double decay = 0.9;
  // The axes the statistics are taken over; defaults to all but the second.
  AxisSet axis = {};
};

// Normalizes each channel of x to mean 0 and variance 1 over the batch, then
// scales and shifts it:
//
//   y = gamma (x - mean(x)) / sqrt(var(x) + eps) + beta
//
// x is (N, C, d...), floating; gamma and beta have the shape of x without
// `axis`, by default (C,), and one floating dtype, which need not be x's. y is
// like x; statistics are computed in float32, those of float64 in float64.
//
// InvalidType when dtypes or shapes do not fit, ValueError when eps is
// negative, an axis is named twice, or the running statistics do not fit gamma.
//
// Ioffe, Szegedy: Batch Normalization: Accelerating Deep Network Training by
// Reducing Internal Covariate Shift, 2015.
Variable batch_normalization(const Variable& x, const Variable& gamma,
                             const Variable& beta,
                             const BatchNormalizationOptions& options = {});

struct FixedBatchNormalizationOptions {
  double eps = 2e-5;
  AxisSet axis = {};
};

// The same with mean and variance given, of gamma's shape and dtype; they get
// gradients too.
Variable fixed_batch_normalization(
    const Variable& x, const Variable& gamma, const Variable& beta,
    const Variable& mean, const Variable& var,
    const FixedBatchNormalizationOptions& options = {});

}  // namespace catena::functions
