#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

struct SoftplusOptions {
  double beta = 1;
};

// y = log(1 + exp(beta x)) / beta, elementwise and without overflow. Any shape;
// x floating, else InvalidType. ValueError when beta is 0 or no number.
Variable softplus(const Variable& x, const SoftplusOptions& options = {});

}  // namespace catena::functions
