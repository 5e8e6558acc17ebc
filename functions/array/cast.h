#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// x as another dtype; x itself when it has it. The gradient is cast back; there
// is none unless both dtypes are floating.
Variable cast(const Variable& x, Dtype typ);

}  // namespace catena::functions
