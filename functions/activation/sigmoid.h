#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// Logistic sigmoid, elementwise: y = 1 / (1 + exp(-x)). x: any shape, floating
// dtype; otherwise InvalidType. Does not overflow.
Variable sigmoid(const Variable& x);

}  // namespace catena::functions
