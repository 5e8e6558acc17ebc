#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// The sum over each row of -log sigmoid(sign y), with no term where the sign is
// 0. y is (N, K), `signs` of 1, -1 and 0 broadcast to it and get no gradient.
Variable logit_losses(const Variable& y, const Array& signs);

}  // namespace catena::functions
