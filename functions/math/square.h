#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// y = x^2, elementwise. Any shape; x floating, else InvalidType.
Variable square(const Variable& x);

}  // namespace catena::functions
