#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// y = (x0 - x1)^2, elementwise with broadcasting. Inputs have the same floating
// dtype, else InvalidType.
Variable squared_difference(const Variable& x0, const Variable& x1);

}  // namespace catena::functions
