#pragma once

#include "catena/array/axis.h"
#include "catena/functions/normalization/batch_normalization.h"

namespace catena::functions {

struct BatchRenormalizationOptions {
  NamedFieldsOnly keywords = {};
  double eps = 2e-5;
  // Moving averages with gamma's shape; default to 0 and 1.
  Array running_mean = {};
  Array running_var = {};
  double decay = 0.9;
  // Whether to update the moving averages in place, as batch_normalization
  // does.
  bool update_statistics = false;
  AxisSet axis = {};
};

// Batch normalization corrected towards the running statistics:
//
//   y = gamma ((x - mean(x)) / s r + d) + beta
//   s = sqrt(var(x) + eps), s_run = sqrt(running_var + eps)
//   r = s / s_run clipped to [1 / rmax, rmax]
//   d = (mean(x) - running_mean) / s_run clipped to [-dmax, dmax]
//
// r and d count as constants in gradients. Shapes, dtypes and errors are as in
// batch_normalization; also throws ValueError for rmax below 1 or dmax below 0.
//
// Ioffe: Batch Renormalization: Towards Reducing Minibatch Dependence in
// Batch-Normalized Models, 2017.
Variable batch_renormalization(const Variable& x, const Variable& gamma,
                               const Variable& beta, double rmax, double dmax,
                               const BatchRenormalizationOptions& options = {});

// Batch renormalization with given statistics, where nothing is left to
// correct: fixed_batch_normalization.
Variable fixed_batch_renormalization(
    const Variable& x, const Variable& gamma, const Variable& beta,
    const Variable& mean, const Variable& var,
    const FixedBatchNormalizationOptions& options = {});

}  // namespace catena::functions
