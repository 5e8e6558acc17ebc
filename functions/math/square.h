#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// y = x^2, elementwise. x: any shape, floating dtype; otherwise InvalidType.
Variable square(const Variable& x);

}  // namespace catena::functions
