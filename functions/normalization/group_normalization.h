#pragma once

#include <cstdint>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct GroupNormalizationOptions {
  NamedFieldsOnly keywords = {};
  // Added to the variance to avoid division by zero.
  double eps = 1e-5;
};

// Normalizes each group of channels of each sample to mean 0 and variance 1,
// then scales and shifts the channels:
//
//   y = gamma (x - mean) / sqrt(var + eps) + beta
//
// x is (N, C, d...), floating; C is a multiple of groups; gamma and beta are
// (C,) with x's dtype. Throws InvalidType when dtypes or shapes do not match,
// ValueError when groups does not divide C or eps is negative.
//
// Wu, He: Group Normalization, 2018.
Variable group_normalization(const Variable& x, int64_t groups,
                             const Variable& gamma, const Variable& beta,
                             const GroupNormalizationOptions& options = {});

}  // namespace catena::functions
