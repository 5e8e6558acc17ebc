#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// y = exp(x), elementwise. x: any shape, floating dtype; otherwise InvalidType.
Variable exp(const Variable& x);

}  // namespace catena::functions
