#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// Trigonometric functions, elementwise; x in radians. Any shape, floating
// dtype; otherwise InvalidType.
Variable sin(const Variable& x);
Variable cos(const Variable& x);
Variable tan(const Variable& x);

// The inverse sine; NaN, like its gradient, outside [-1, 1].
Variable arcsin(const Variable& x);
// The inverse cosine; NaN, like its gradient, outside [-1, 1].
Variable arccos(const Variable& x);

// The inverse tangent.
Variable arctan(const Variable& x);

// The angle of the point (x2, x1), in all four quadrants. Both broadcast and
// have the same dtype.
Variable arctan2(const Variable& x1, const Variable& x2);

}  // namespace catena::functions
