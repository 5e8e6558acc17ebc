#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// Hyperbolic tangent, elementwise. x: any shape, floating dtype; otherwise
// InvalidType.
Variable tanh(const Variable& x);

}  // namespace catena::functions
