#pragma once

#include <cstdint>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct DecorrelatedBatchNormalizationOptions {
  NamedFieldsOnly keywords = {};
  // The number of groups of channels, which are whitened separately.
  int64_t groups = 16;
  // Added to the variances to make the covariance invertible.
  double eps = 2e-5;
  // Moving averages, (groups, D) and (groups, D, D) with D channels per group,
  // updated in place if defined:
  //   running = decay running + (1 - decay) of this batch,
  // where the projection is m / (m - 1) times the batch's, with m elements per
  // channel, as in Chainer.
  Array running_mean = {};
  Array running_projection = {};
  double decay = 0.9;
};

// Whitens each group of channels of x over the batch, by zero-phase component
// analysis (ZCA):
//
//   y = cov(x)^(-1/2) (x - mean(x))
//
// x is (N, C, d...), float32 or float64; C is a multiple of groups. Throws
// InvalidType when x does not match, ValueError when groups does not divide C,
// eps is negative, or the running statistics do not match.
//
// Huang, Yang, Lang, Deng: Decorrelated Batch Normalization, 2018.
Variable decorrelated_batch_normalization(
    const Variable& x,
    const DecorrelatedBatchNormalizationOptions& options = {});

struct FixedDecorrelatedBatchNormalizationOptions {
  NamedFieldsOnly keywords = {};
  int64_t groups = 16;
};

// Decorrelated batch normalization with given mean (groups, D) and projection
// (groups, D, D), of x's dtype, which count as constants.
Variable fixed_decorrelated_batch_normalization(
    const Variable& x, const Array& mean, const Array& projection,
    const FixedDecorrelatedBatchNormalizationOptions& options = {});

}  // namespace catena::functions
