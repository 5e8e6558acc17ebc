#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// x converted to another dtype; x itself if it has that dtype. The gradient is
// cast back; there is none unless both dtypes are floating.
Variable cast(const Variable& x, Dtype typ);

}  // namespace catena::functions
