#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

struct GaussianOptions {
  NamedFieldsOnly keywords = {};
  // Standard normal samples with mean's shape and dtype. By default drawn from
  // the generator of mean's device.
  Array eps = {};
  // If set, receives the samples that were used.
  Array* return_eps = nullptr;
};

// Draws from the normal distribution with mean `mean` and variance exp(ln_var),
// elementwise and differentiably: mean + exp(ln_var / 2) eps. Both have the
// same floating dtype and shape, and so has eps; else InvalidType. (Kingma and
// Welling, 2013.)
Variable gaussian(const Variable& mean, const Variable& ln_var,
                  const GaussianOptions& options = {});

}  // namespace catena::functions
