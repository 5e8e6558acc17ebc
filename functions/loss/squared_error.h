#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// (x0 - x1)^2, elementwise; neither halved nor reduced. Inputs have the same
// floating dtype and shape, else InvalidType.
Variable squared_error(const Variable& x0, const Variable& x1);

}  // namespace catena::functions
