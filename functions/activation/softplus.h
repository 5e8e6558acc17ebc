#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

struct SoftplusOptions {
  double beta = 1;
};

// y = log(1 + exp(beta x)) / beta, elementwise, computed without overflow. x:
// any shape, floating dtype; otherwise InvalidType. Throws ValueError when beta
// is 0 or NaN.
Variable softplus(const Variable& x, const SoftplusOptions& options = {});

}  // namespace catena::functions
