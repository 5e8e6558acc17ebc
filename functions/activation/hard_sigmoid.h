#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// y = min(max(0.2 x + 0.5, 0), 1), elementwise. x: any shape, floating dtype;
// otherwise InvalidType. The gradient at the kinks, +-2.5, is 0.
Variable hard_sigmoid(const Variable& x);

}  // namespace catena::functions
