#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// y = |x|, elementwise; abs(x) is the same. x: any shape, floating dtype;
// otherwise InvalidType. The gradient at 0 is 0.
Variable absolute(const Variable& x);

}  // namespace catena::functions
