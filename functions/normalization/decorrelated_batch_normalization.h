#pragma once

#include <cstdint>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct DecorrelatedBatchNormalizationOptions {
  // Into how many groups the channels are split, each whitened by itself.
  int64_t groups = 16;
  // Added to the variances, so that the covariance can be inverted.
  double eps = 2e-5;
  // Moving averages, (groups, D) and (groups, D, D) with D channels in a group,
  // which the call updates in place where they are given:
  //   running = decay running + (1 - decay) of this batch,
  // where the projection is m / (m - 1) times the batch's of m elements for
  // each channel, as in Chainer.
  Array running_mean = {};
  Array running_projection = {};
  double decay = 0.9;
};

// Whitens each group of channels of x over the batch, by zero-phase component
// analysis:
//
//   y = cov(x)^(-1/2) (x - mean(x))
//
// x is (N, C, d...), floating, not float16 or bfloat16; C is a multiple of
// groups. The gradient cannot be differentiated again: NotImplementedError.
// InvalidType when x does not fit, ValueError when groups do not divide the
// channels, eps is negative, or the running statistics do not fit.
//
// Huang, Yang, Lang, Deng: Decorrelated Batch Normalization, 2018.
Variable decorrelated_batch_normalization(
    const Variable& x,
    const DecorrelatedBatchNormalizationOptions& options = {});

struct FixedDecorrelatedBatchNormalizationOptions {
  int64_t groups = 16;
};

// The same with mean (groups, D) and projection (groups, D, D) given, of x's
// dtype, which count as constants.
Variable fixed_decorrelated_batch_normalization(
    const Variable& x, const Array& mean, const Array& projection,
    const FixedDecorrelatedBatchNormalizationOptions& options = {});

}  // namespace catena::functions
