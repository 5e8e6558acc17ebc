#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// Hyperbolic tangent, elementwise. Any shape; x floating, else InvalidType.
Variable tanh(const Variable& x);

}  // namespace catena::functions
