#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// |x0 - x1|, elementwise; not reduced. The gradient is 0 where they are equal.
// Inputs have the same floating dtype and shape, else InvalidType.
Variable absolute_error(const Variable& x0, const Variable& x1);

// The mean of |x0 - x1| over all elements, 0-d; otherwise like absolute_error.
Variable mean_absolute_error(const Variable& x0, const Variable& x1);

}  // namespace catena::functions
