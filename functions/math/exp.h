#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// y = exp(x), elementwise. Any shape; x floating, else InvalidType.
Variable exp(const Variable& x);

}  // namespace catena::functions
