#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// Trigonometric functions, elementwise; angles in radians. Any shape; floating,
// else InvalidType.

Variable sin(const Variable& x);
Variable cos(const Variable& x);
Variable tan(const Variable& x);

// NaN, as is the gradient, where x is outside [-1, 1].
Variable arcsin(const Variable& x);
Variable arccos(const Variable& x);

Variable arctan(const Variable& x);

// The angle of the point (x2, x1), in all four quadrants. The two broadcast and
// are of one dtype.
Variable arctan2(const Variable& x1, const Variable& x2);

}  // namespace catena::functions
