#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// The mean of (x0 - x1)^2 over all elements, 0-d; not halved. Inputs have the
// same floating dtype and shape, else InvalidType.
Variable mean_squared_error(const Variable& x0, const Variable& x1);

}  // namespace catena::functions
