#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// The squared Euclidean norm of each sample: x (B, ...) gives y (B,). x is
// floating. Throws InvalidType for any other dtype or a 0-d x.
Variable batch_l2_norm_squared(const Variable& x);

}  // namespace catena::functions
