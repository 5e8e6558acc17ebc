#pragma once

#include <string_view>

#include "catena/autograd/variable.h"

// Penalties on covariances over the batch. Inputs are (N, K) with the same
// floating dtype, else InvalidType. Throws ValueError for an unknown `reduce`.
namespace catena::functions {

struct CovarianceOptions {
  NamedFieldsOnly keywords = {};
  // "half_squared_sum" for half the sum of the squared elements, "no" for the
  // covariances.
  std::string_view reduce = "half_squared_sum";
};

// The covariances C[i, j] = mean over n of (y[n, i] - mean y[:, i]) (z[n, j] -
// mean z[:, j]) between y and z, which have the same number of rows (B. Cheung
// et al., 2014).
Variable cross_covariance(const Variable& y, const Variable& z,
                          const CovarianceOptions& options = {});

// The covariances of h with itself, with the variances set to 0 (M. Cogswell et
// al., 2015).
Variable decov(const Variable& h, const CovarianceOptions& options = {});

}  // namespace catena::functions
