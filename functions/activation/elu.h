#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

struct EluOptions {
  double alpha = 1;
};

// y = x, or alpha (exp(x) - 1) where x < 0, elementwise. Any shape; x floating,
// else InvalidType. The gradient at 0 is that of x > 0. (Clevert et al., 2015.)
Variable elu(const Variable& x, const EluOptions& options = {});

}  // namespace catena::functions
