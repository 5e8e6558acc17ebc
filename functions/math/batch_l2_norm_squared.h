#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// y_i = sum(x_i^2) of the elements of each sample: (B, ...) gives (B,). x
// floating. InvalidType for another dtype or no axis.
Variable batch_l2_norm_squared(const Variable& x);

}  // namespace catena::functions
