#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// y = |x|, elementwise; abs(x) is the same. Any shape; x floating, else
// InvalidType. The gradient at 0 is 0.
Variable absolute(const Variable& x);

}  // namespace catena::functions
