#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// Hyperbolic functions, elementwise; tanh is an activation. Any shape; x
// floating, else InvalidType.

Variable cosh(const Variable& x);
Variable sinh(const Variable& x);

// NaN where x is outside [-1, 1], infinite at its ends.
Variable arctanh(const Variable& x);

}  // namespace catena::functions
