#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// Hyperbolic functions, elementwise; tanh is an activation. x: any shape,
// floating dtype; otherwise InvalidType.
Variable cosh(const Variable& x);
Variable sinh(const Variable& x);

// The inverse hyperbolic tangent: infinite at -1 and 1, NaN outside.
Variable arctanh(const Variable& x);

}  // namespace catena::functions
