#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// Logistic sigmoid, elementwise: y = 1 / (1 + exp(-x)). Any shape; x floating,
// else InvalidType. Neither side overflows.
Variable sigmoid(const Variable& x);

}  // namespace catena::functions
