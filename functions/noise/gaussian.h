#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

struct GaussianOptions {
  // Standard normal numbers, of mean's shape and dtype. Drawn from the
  // generator of mean's device when undefined.
  Array eps = {};
  // Where the numbers are put that were used.
  Array* return_eps = nullptr;
};

// A sample of the normal distribution with mean `mean` and variance
// exp(ln_var), elementwise and differentiable: mean + exp(ln_var / 2) eps. Both
// are floating, of one dtype and shape. InvalidType, also for an eps that is
// not like mean. (Kingma and Welling, 2013.)
Variable gaussian(const Variable& mean, const Variable& ln_var,
                  const GaussianOptions& options = {});

}  // namespace catena::functions
