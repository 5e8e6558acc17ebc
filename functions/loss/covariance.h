#pragma once

#include <string_view>

#include "catena/autograd/variable.h"

// Penalties on covariances over the batch. Inputs are (N, K), floating, of one
// dtype, else InvalidType. ValueError for another `reduce`.
namespace catena::functions {

struct CovarianceOptions {
  // "half_squared_sum" for half the sum of the squared elements, "no" for the
  // covariances.
  std::string_view reduce = "half_squared_sum";
};

// The covariances C[i, j] = mean over n of (y[n, i] - mean y[:, i])
// (z[n, j] - mean z[:, j]) between y and z, which have as many rows (B. Cheung
// et al., 2014).
Variable cross_covariance(const Variable& y, const Variable& z,
                          const CovarianceOptions& options = {});

// The covariances of h with itself, with 0 in place of the variances (M.
// Cogswell et al., 2015).
Variable decov(const Variable& h, const CovarianceOptions& options = {});

}  // namespace catena::functions
